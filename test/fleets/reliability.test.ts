import path from 'node:path'
import { expect, it } from 'vitest'
import { FIRST_RUNS } from './first-runs.ts'
import type { FirstRun, Wrong } from './first-runs.ts'
import { FLEET_FOLDERS, KNOWN_FLEETS } from './known-fleets.ts'
import type { KnownFleet } from './known-fleets.ts'

const PAGE = path.join(import.meta.dirname, '..', '..', 'docs', 'audit-reliability.md')
const PERCENT = 100

const MADE_BY: Readonly<Record<KnownFleet['folder'], string>> = {
  arc: 'recordings of real ARC controllers',
  fresh: 'people who had not seen the rules',
  'fresh-2': 'two people who had seen neither rules nor tests, for the audits that were weakest',
  'fresh-3': 'somebody else who had seen neither rules nor tests, after the rules had been changed for `fresh-2`',
  written: 'those who wrote the rules, with them in view',
}

it('docs/audit-reliability.md has the fleets that exist and their first runs', async () => {
  const sections = FLEET_FOLDERS.flatMap((folder) => {
    const first = FIRST_RUNS[folder]
    return first === undefined ? [] : [formatFirstRun(folder, first)]
  })
  const rows = FLEET_FOLDERS.map(formatRow)
  await expect([INTRODUCTION, [...HEAD, ...rows].join('\n'), ...sections, ''].join('\n\n')).toMatchFileSnapshot(PAGE)
})

it.each(Object.entries(FIRST_RUNS))('the first run of %s adds up', (folder, { right, fleets, wrong }) => {
  const known = KNOWN_FLEETS.filter((fleet) => fleet.folder === folder)
  expect(right + wrong.length).toBe(countAnswers(known))
  expect(fleets + new Set(wrong.map(({ fleet }) => fleet)).size).toBe(known.length)
  expect(wrong.filter(({ fleet, audit }) => !hasAnswer(known, fleet, audit))).toEqual([])
})

const hasAnswer = (known: readonly KnownFleet[], fleet: string, audit: string): boolean =>
  known.some((one) => one.name === fleet && one.expected.some((expected) => expected.audit === audit))

const countAnswers = (known: readonly KnownFleet[]): number => known.flatMap(({ expected }) => expected).length

const INTRODUCTION = `# How far an audit can be trusted

Each fleet is a bundle of a whole cluster with known answers: per audit, what it must report (class, subject, severity, numbers), what it must not report, and its exit code. An answer is right if all of that holds. \`test/fleets/answers.test.ts\` checks every answer below in each run of the tests, so all of them are right now. What says more is the first run of a set, before any rule was changed for it. This page is generated: \`npx vitest run --project units test/fleets/reliability.test.ts -u\`.`

const HEAD = [
  '| set | made by | fleets | answers | from public threads | right at the first run |',
  '| --- | --- | ---: | ---: | ---: | ---: |',
]

function formatRow(folder: KnownFleet['folder']): string {
  const known = KNOWN_FLEETS.filter((fleet) => fleet.folder === folder)
  const answers = countAnswers(known)
  const threads = known.flatMap(({ expected }) => expected).filter(({ source }) => source?.startsWith('https://'))
  const first = FIRST_RUNS[folder]
  const score = first === undefined ? 'not measured' : formatShare(first.right, answers)
  return `| ${[`\`${folder}\``, MADE_BY[folder], known.length, answers, threads.length, score].join(' | ')} |`
}

function formatShare(part: number, whole: number): string {
  return `${part} of ${whole} (${((part / whole) * PERCENT).toFixed(0)} %)`
}

function formatFirstRun(folder: KnownFleet['folder'], { right, fleets, wrong }: FirstRun): string {
  const known = KNOWN_FLEETS.filter((fleet) => fleet.folder === folder)
  const dangerous = wrong.filter(({ isDangerous }) => isDangerous).length
  return [
    `## The first run of \`${folder}\``,
    `${formatShare(right, countAnswers(known))} of the answers were right, and ${formatShare(fleets, known.length)} of the fleets had no wrong one. ${wrong.filter(({ kind }) => kind === 'miss').length} misses, ${wrong.filter(({ kind }) => kind === 'false alarm').length} false alarms. Dangerous (it reads as an all-clear where something was wrong, or its advice would do harm): ${dangerous}.`,
    `By audit: ${byAudit(known, wrong)}.`,
    ['| fleet | audit | | what was wrong |', '| --- | --- | --- | --- |', ...wrong.map(formatWrong)].join('\n'),
  ].join('\n\n')
}

function byAudit(known: readonly KnownFleet[], wrong: readonly Wrong[]): string {
  const audits = Map.groupBy(
    known.flatMap(({ expected }) => expected),
    ({ audit }) => audit,
  )
  return [...audits]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([audit, own]) => {
      const failed = wrong.filter((one) => one.audit === audit).length
      return `${audit} ${own.length - failed} of ${own.length}`
    })
    .join(', ')
}

function formatWrong({ fleet, audit, kind, isDangerous, what }: Wrong): string {
  return `| ${fleet} | ${audit} | ${kind}${isDangerous ? ', **dangerous**' : ''} | ${what} |`
}
