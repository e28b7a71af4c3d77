import { describe, expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'

/** The wide ports can remove too, for the contract suites: a call of theirs in src is found by its name. */
const REMOVES =
  /\.(?:evict|deregister|scaleToZero|setCap|recreateListener|applySecret)\(|\b(?:kubernetes|cluster)\.(?:delete|remove)\(/u

const MAY: readonly RegExp[] = [
  /^src\/runtime\/act\//u,
  /^src\/adapters\/(?:kubernetes|github)\/acts\.ts$/u,
  // It deletes the pod that it made itself, by UID and by its own label.
  /^src\/runtime\/audit\/run-probe\.ts$/u,
]

describe('what removes something', () => {
  it('is called in src/runtime/act only', () => {
    const callers = sourceFiles(/^src\/.*(?<!\.test)\.ts$/u).filter(({ text }) => REMOVES.test(text))
    expect(callers.map(({ path }) => path).filter((path) => !MAY.some((one) => one.test(path)))).toEqual([])
  })

  it.each([
    'await kubernetes.delete({',
    'github.runners.deregister(at, 1)',
    'this.#cluster.evict(pod)',
    'acts.setCap(set, cap)',
  ])('is recognised in: %s', (line) => {
    expect(REMOVES.test(line)).toBe(true)
  })
})
