import type { ArcGeneration } from '#/core/fleet/arc-version.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { usesContainerHooks } from './runner-template.ts'

export type DerivedName = { readonly what: string; readonly pattern: string; readonly length: number }

/** Kubernetes truncates the stem of a generated name so that it fits a label with five random characters. */
const LONGEST_STEM = 58
const RANDOM = 5

/** Names that ARC and its hooks derive from the set's name; `x` marks random characters. */
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

/** Up to 0.14 each runner set has a generated name; later it has the name of the scale set. */
export function runnerName(name: string, generation: ArcGeneration): string {
  const runnerSet = generation === 'head' || generation === '0.15' ? name : generated(`${name}-`)
  return generated(`${runnerSet}-runner-`)
}

function generated(stem: string): string {
  return `${stem.slice(0, LONGEST_STEM)}${'x'.repeat(RANDOM)}`
}
