import { printAge } from '#/core/basics/age.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { Finding, FindingSubject, Severity } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { configuredRunners } from './configured-runners.ts'
import type { ConfiguredRunner } from './configured-runners.ts'
import { findListed, readListedRunner } from './listed-runner.ts'
import type { ListedRunner } from './listed-runner.ts'

/**
 * Compares the configuration with GitLab's list of runners. Runners of the list that the configuration does not have
 * belong to somebody else.
 */
export function servingFindings(fleet: Fleet): readonly Finding[] {
  const { config, runners } = fleet.snapshot.gitlab
  if (runners.kind === 'blind') return []
  const listed = runners.kind === 'seen' ? runners.value.map(readListedRunner) : []
  const configured = config.kind === 'seen' ? (configuredRunners(config.value) ?? []) : []
  return [
    ...configured.flatMap((runner) => judgeConfigured(runner, listed, fleet)),
    ...unservedTags(configured, listed, fleet),
  ]
}

function judgeConfigured(runner: ConfiguredRunner, listed: readonly ListedRunner[], fleet: Fleet): readonly Finding[] {
  const rows = findListed(runner, listed)
  if (rows === null) return []
  const [first] = rows
  if (first === undefined) return [unregistered(runner, listed.length, fleet)]
  // Of several with one name, one that serves is enough.
  const serving = rows.find((row) => findTrouble(row, fleet) === null)
  const trouble = serving === undefined ? findTrouble(first, fleet) : null
  if (trouble !== null) return [notServing(runner, trouble)]
  return confined(runner, serving ?? first, fleet)
}

type Trouble = { readonly reason: string; readonly evidence: string; readonly hint: string }

function findTrouble(row: ListedRunner, fleet: Fleet): Trouble | null {
  const who = `GitLab lists runner ${row.id ?? row.description ?? ''}`
  if (row.isPaused) {
    return {
      reason: 'paused',
      evidence: `${who} as paused: it takes no jobs`,
      hint: `if nobody paused it on purpose, resume it: Settings > CI/CD > Runners, or PUT /runners/${row.id ?? 'ID'} with paused=false`,
    }
  }
  if (row.status === 'online') return null
  if (row.status === 'never_contacted') {
    return {
      reason: 'never-contacted',
      evidence: `${who}, but it has never contacted GitLab`,
      hint: `its pod does not reach GitLab or has another token: ${tokenAdvice(fleet)}`,
    }
  }
  const since = row.contactedAt === null ? '' : `, last contact ${printAge(row.contactedAt, fleet.now)} ago`
  return {
    reason: row.status,
    evidence: `${who} as ${row.status}${since}`,
    hint: 'check its pod and its way to GitLab: kubectl logs of the GitLab Runner manager shows why it does not ask for jobs',
  }
}

function tokenAdvice({ declared }: Fleet): string {
  const { tokenSecret, group } = declared.gitlab ?? {}
  const secret =
    tokenSecret === undefined ? 'its token' : `the token in Secret ${tokenSecret.namespace}/${tokenSecret.name}`
  return `check ${secret}, whether its owner has access to ${group === undefined ? 'the group' : `group ${group}`}, and the log of the GitLab Runner manager`
}

function unregistered(runner: ConfiguredRunner, count: number, fleet: Fleet): Finding {
  const what = runner.id === null ? `runner ${runner.name ?? ''}` : `runner ${runner.id}`
  // A description can be changed at GitLab: only a number proves that the runner is not there.
  return toFinding(runner, runner.id === null ? 'info' : 'warning', {
    reason: 'unregistered',
    evidence: `GitLab's list of ${count} runners has no ${what}`,
    hint: `it is not registered in this group, or was removed: ${tokenAdvice(fleet)}; where tokens are created automatically, creation without the role Owner fails silently`,
  })
}

function notServing(runner: ConfiguredRunner, trouble: Trouble): Finding {
  return toFinding(runner, 'warning', trouble)
}

/** A runner of a project serves no other project of the group: intended or not, worth knowing. */
function confined(runner: ConfiguredRunner, row: ListedRunner, { declared }: Fleet): readonly Finding[] {
  const group = declared.gitlab?.group
  if (group === undefined || row.type !== 'project_type') return []
  const locked = row.isLocked === true ? ' and is locked to it' : ''
  return [
    toFinding(runner, 'info', {
      reason: 'project-only',
      evidence: `GitLab lists runner ${row.id ?? ''} as a runner of a project${locked}; the fleet file declares group ${group}`,
      hint: 'register it in the group if other projects need it',
    }),
  ]
}

/** Declared tags that no running runner of the configuration has. GitLab's list may lack tags: then nothing is known. */
function unservedTags(
  configured: readonly ConfiguredRunner[],
  listed: readonly ListedRunner[],
  fleet: Fleet,
): readonly Finding[] {
  const wanted = fleet.declared.gitlab?.tags ?? []
  const rows = configured.flatMap((runner) => findListed(runner, listed) ?? [])
  const serving = rows.filter((row) => findTrouble(row, fleet) === null)
  if (wanted.length === 0 || rows.length === 0 || serving.some(({ tags }) => tags === null)) return []
  const known = new Set(serving.flatMap(({ tags }) => tags ?? []))
  const missing = wanted.filter((tag) => !known.has(tag))
  return missing.map((tag) => ({
    class: 'runner-not-serving',
    severity: 'warning',
    subject: { kind: 'Label', name: tag },
    evidence: [
      `the fleet file declares tag ${tag}, and no runner of the configuration that is online and not paused has it`,
      `their tags: ${[...known].join(', ') || 'none'}`,
    ],
    hint: `add the tag to a runner (PUT /runners/ID with tag_list), or change the jobs: a job with tag ${tag} waits for ever`,
    fields: { reason: 'tag' },
  }))
}

function toFinding(runner: ConfiguredRunner, severity: Severity, { reason, evidence, hint }: Trouble): Finding {
  const { name, id, line, column } = runner
  const subject: FindingSubject = { kind: 'File', name: bundlePath.gitlabConfig, line, column }
  return {
    class: 'runner-not-serving',
    severity,
    subject,
    evidence: [`[[runners]] ${name ?? id ?? ''}: ${evidence}`],
    hint,
    fields: { reason, runner: name, id },
  }
}
