import { join } from 'node:path'
import { expect, it } from 'vitest'
import { JUDGED_BUNDLES } from '#test/bundles/known-bundles.ts'
import type { KnownBundle } from '#test/bundles/known-bundles.ts'
import { countBands, drawVerdicts } from '#test/bundles/reliability.ts'
import type { Band, Given, Loss } from '#test/bundles/reliability.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'

const SEED = 20_261_116
const DRAWS = LONG_RUN ? 20 : 2
const PERCENT = 100
const LOSSES: readonly Loss[] = ['nothing', 'whole sources', 'whole sources, and lines of the others']
const GROUPS: readonly { readonly title: string; readonly has: (known: KnownBundle) => boolean }[] = [
  { title: 'Recorded on a real node', has: ({ archive }) => !archive.includes('/fresh') },
  { title: 'Written by people who had not seen the rules', has: ({ archive }) => archive.includes('/fresh/') },
  {
    title: 'The second set of such people, of which 38 of 60 were right before any rule was changed for it',
    has: ({ archive }) => archive.includes('/fresh-2/'),
  },
  {
    title: 'The third set, of which 24 of 33 were right before any rule was changed for it',
    has: ({ archive }) => archive.includes('/fresh-3/'),
  },
  {
    title: 'The fourth set, of which 29 of 34 were right before any rule was changed for it',
    has: ({ archive }) => archive.includes('/fresh-4/'),
  },
]

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'reliability.md')

it(
  'verdicts are right about as often as their confidence says, even if sources and lines are missing at random',
  { timeout: 300_000 },
  async () => {
    const sections: string[] = []
    const all: Given[] = []
    for (const { title, has } of GROUPS) {
      const known = JUDGED_BUNDLES.filter(has)
      const rows: string[] = []
      for (const loss of LOSSES) {
        const draws = loss === 'nothing' ? 1 : DRAWS
        const given = await drawVerdicts(known, { loss, draws, seed: SEED })
        if (loss !== 'nothing') all.push(...given)
        rows.push(formatRow(loss, given))
      }
      sections.push([`## ${title}: ${known.length} deaths`, '', ...HEAD, ...rows].join('\n'))
    }
    // The page is of all draws.
    if (LONG_RUN) await expect([...INTRODUCTION, ...sections, ''].join('\n\n')).toMatchFileSnapshot(PAGE)
    const bands = countBands(all).filter(({ given }) => given > 0)
    // The lower end of a band is the least that its verdicts claim.
    for (const { from, given, right } of bands) expect(right / given).toBeGreaterThan(from)
    // An empty band would prove nothing.
    expect(bands.map(({ from }) => from)).toEqual([0.5, 0.7, 0.9])
  },
)

const HEAD = [
  '| What was missing | Verdicts | Named no cause | Right at 0.5–0.7 | Right at 0.7–0.9 | Right at 0.9–1.0 |',
  '| --- | ---: | ---: | ---: | ---: | ---: |',
]

function formatRow(loss: Loss, given: readonly Given[]): string {
  const unnamed = given.filter(({ cause }) => cause === 'unknown').length
  const bands = countBands(given).slice(1)
  return `| ${[loss, given.length, unnamed, ...bands.map(formatShare)].join(' | ')} |`
}

function formatShare({ given, right }: Band): string {
  if (given === 0) return '–'
  return `${right} of ${given} (${((right / given) * PERCENT).toFixed(1)} %)`
}

const INTRODUCTION = [
  '# How far a verdict can be trusted',
  `Each death with a known answer was judged once with all of its evidence and ${DRAWS} times with evidence missing at random: every source (pod, events, audit, node, logs, journal, cgroup, GitHub's parts) with a probability of one in three. In the last row, one in four of the remaining events, journal lines and audit log lines, and sometimes the end of a log, are missing too, without any mark. The rest of the evidence is unchanged.`,
  'A verdict is right if it names the known cause. One that names no cause is not wrong: it lists the sources that would settle it. Below 0.5 no cause is named.',
  'The rules were developed with most of these deaths, for the cases of the first two rows, not of the last. This page is generated: `npx vitest run --project long test/bundles/reliability.test.ts -u`.',
]
