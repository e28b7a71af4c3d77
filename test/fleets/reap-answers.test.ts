import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '#test/cli/run-in-process.ts'

const FOLDER = path.join(import.meta.dirname, 'reap')
const ANSWERS = '.expected.json'

type Candidate = { readonly policy: string; readonly decision: string; readonly decidedBy?: string | null }
type Expected = {
  readonly asks: readonly {
    readonly policies: readonly string[]
    readonly flags?: readonly string[]
    readonly exitCode?: number
    readonly candidates?: readonly (Candidate & { readonly subject: string })[]
    readonly mustNotRemove?: readonly string[]
    readonly why: string
  }[]
}
type Named = { readonly name: string }
type Found = Candidate & { readonly subject: Named; readonly removes?: readonly Named[] }

const CASES = readdirSync(FOLDER)
  .filter((file) => file.endsWith(ANSWERS))
  .flatMap((file) => {
    const name = file.slice(0, -ANSWERS.length)
    const { asks } = JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Expected
    return asks.map((ask) => ({ ask, name, title: [name, ...ask.policies, ...(ask.flags ?? [])].join(' ') }))
  })

/** Written by somebody who had not seen the rules, and 32 of the 34 answers were right at the first run. */
describe('reap on fleets that its rules were not written for', () => {
  it.each(CASES)('$title', async ({ name, ask }) => {
    const { policies, flags = [], exitCode, candidates = [], mustNotRemove = [] } = ask
    const asked = [...policies.flatMap((policy) => ['--policy', policy]), ...flags]
    const ran = await runInProcess(['reap', ...asked, '--bundle', path.join(FOLDER, `${name}.tar.gz`), '-o', 'json'])
    const found = (JSON.parse(ran.stdout) as { readonly candidates: readonly Found[] }).candidates
    for (const { subject, policy, decision, decidedBy } of candidates) {
      const one = found.find((other) => other.policy === policy && other.subject.name === subject)
      expect(one).toMatchObject({ decision })
      if (decidedBy !== undefined) expect(one).toMatchObject({ decidedBy })
    }
    const goes = found.filter(({ decision }) => decision === 'would-remove')
    const removed = goes.flatMap(({ subject, removes = [] }) => removes.concat(subject)).map(({ name: one }) => one)
    expect(removed.filter((one) => mustNotRemove.includes(one))).toEqual([])
    if (exitCode !== undefined) expect(ran.code).toBe(exitCode)
  })
})
