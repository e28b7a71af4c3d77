import { blind, seen } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { NodeAgent } from '#/ports/node-agents.ts'
import type { CgroupCopy } from '#/ports/this-host.ts'
import { LIMITS } from '#/protocol/limits.ts'
import { validContainers } from '#/protocol/poll.ts'
import type { AnswerHead } from '#/protocol/answer.ts'
import type { Asked } from '#/protocol/poll.ts'
import type { RawAnswer } from '#/protocol/answer-body.ts'

export type Ask = (asked: Asked, signal: AbortSignal) => Promise<RawAnswer | Blind>

export type AgentConnection = {
  readonly node: string
  readonly ask: Ask
  readonly journal: NodeAgent['journal']
  /** All files of the machine in one question. */
  readonly files: (signal: AbortSignal) => Promise<RawAnswer | Blind>
}

/** Implements the NodeAgent port over the agent's connection. */
export function connectAgent({ node, ask, journal, files: askFiles }: AgentConnection): NodeAgent {
  let files: Promise<Observed<FilesOf>> | null = null
  return {
    journal,
    file: async (name, signal) => {
      const all = await (files ??= askFiles(signal).then((answer) => toFiles(answer, node)))
      if (all.kind !== 'seen') return all
      return all.value[name] ?? blind('malformed', `the answer from the agent on ${node} lacks ${name}`)
    },
    cgroups: async ({ uid, containers }, signal) => {
      const head = readHead(
        await ask({ kind: 'cgroups', pod: { uid, containers: validContainers(containers) } }, signal),
      )
      if (head.kind === 'blind' || head.kind === 'none') return head
      if (head.kind !== 'cgroups') return strange(node, head)
      return seen(head.copies.map(copyOfCgroup))
    },
    logs: async ({ uid, tailBytes }, signal) => {
      const asked = { uid, tailBytes: Math.min(tailBytes, LIMITS.logBytes) }
      const head = readHead(await ask({ kind: 'logs', ...asked }, signal))
      if (head.kind === 'blind' || head.kind === 'none') return head
      return head.kind === 'logs' ? seen(head.logs) : strange(node, head)
    },
  }
}

type FilesOf = Extract<AnswerHead, { kind: 'files' }>['files']

function toFiles(answer: RawAnswer | Blind, node: string): Observed<FilesOf> {
  const head = readHead(answer)
  if (head.kind === 'blind' || head.kind === 'none') return head
  return head.kind === 'files' ? seen(head.files) : strange(node, head)
}

function readHead(answer: RawAnswer | Blind): AnswerHead {
  return answer.kind === 'answered' ? answer.head : answer
}

type PrintedCopy = Extract<AnswerHead, { kind: 'cgroups' }>['copies'][number]

function copyOfCgroup({ container, files, readAt }: PrintedCopy): CgroupCopy {
  const copy = { container, files: new Map(Object.entries(files)) }
  return readAt === null ? copy : { ...copy, readAt }
}

function strange(node: string, { kind }: AnswerHead): Blind {
  return blind('malformed', `the agent on ${node} answered with ${kind}, which was not asked for`)
}
