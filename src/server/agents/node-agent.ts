import { blind, seen } from '#/core/basics/observed.ts'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import type { NodeAgent } from '#/ports/node-agents.ts'
import type { CgroupCopy, JournalCopy } from '#/ports/this-host.ts'
import { LIMITS } from '#/protocol/limits.ts'
import { validContainers } from '#/protocol/poll.ts'
import type { AnswerHead } from '#/protocol/answer.ts'
import type { Asked } from '#/protocol/poll.ts'
import type { RawAnswer } from '#/protocol/answer-body.ts'

export type Ask = (asked: Asked, signal: AbortSignal) => Promise<RawAnswer | Blind>

/** Implements the NodeAgent port over the agent's connection. */
export function connectAgent(ask: Ask, node: string): NodeAgent {
  let files: Promise<Observed<FilesOf>> | null = null
  return {
    journal: async ({ since, until }, signal) => {
      const asked = { since: since ?? 0, until: until ?? null, maxBytes: LIMITS.journalBytes }
      const answer = await ask({ kind: 'journal', ...asked }, signal)
      if (answer.kind === 'blind') return answer
      const { head, rest } = answer
      if (head.kind === 'blind') return head
      return head.kind === 'journal' ? seen(toJournalCopy(head, rest)) : strange(node, head)
    },
    // In one question, because each is a round trip to the node.
    file: async (name, signal) => {
      const all = await (files ??= readFiles(ask, node, signal))
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

async function readFiles(ask: Ask, node: string, signal: AbortSignal): Promise<Observed<FilesOf>> {
  const head = readHead(await ask({ kind: 'files' }, signal))
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

function toJournalCopy({ from, to, gaps }: Extract<AnswerHead, { kind: 'journal' }>, rest: Uint8Array): JournalCopy {
  return {
    chunks: (async function* () {
      yield rest
    })(),
    from,
    ending: () => ({ to, gaps }),
  }
}

function strange(node: string, { kind }: AnswerHead): Blind {
  return blind('malformed', `the agent on ${node} answered with ${kind}, which was not asked for`)
}
