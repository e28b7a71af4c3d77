import type { ArcGeneration } from '#/core/fleet/arc-version.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { usesContainerHooks } from './runner-template.ts'

export type DerivedName = { readonly what: string; readonly pattern: string; readonly length: number }

/** Kubernetes cuts the stem of a generated name so that it and five random characters stay within a label. */
const LONGEST_STEM = 58
const RANDOM = 5

/** Names that ARC and its hooks make of the set's name; `x` stands for what they draw. */
export function derivedNames(set: ScaleSet): readonly DerivedName[] {
  const listener = `${set.name}-xxxxxxxx-listener`
  const runner = runnerName(set.name, set.generation)
  return [
    { what: 'listener', pattern: listener, length: listener.length },
    ...(usesContainerHooks(set)
      ? [{ what: 'job pod', pattern: `${runner}-workflow`, length: runner.length + '-workflow'.length }]
      : []),
  ]
}

/** Up to 0.14 a runner set is a generation with a name of its own; later it has the name of the set. */
export function runnerName(name: string, generation: ArcGeneration): string {
  const runnerSet = generation === 'head' || generation === '0.15' ? name : generated(`${name}-`)
  return generated(`${runnerSet}-runner-`)
}

function generated(stem: string): string {
  return `${stem.slice(0, LONGEST_STEM)}${'x'.repeat(RANDOM)}`
}
