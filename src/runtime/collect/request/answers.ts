import type { BundleMeta, Coverage, SourceAnswer } from '#/core/evidence/bundle-meta.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

/** What each source said to us, gathered while the files are written. */
export type Answers = {
  readonly looked: (source: string, coverage?: Partial<Coverage>) => void
  /** The cluster does not know such a thing, so there is none; that was found out without reading anything. */
  readonly unknownKind: (source: string, group: string) => void
  readonly blind: (source: string, reason: BlindReason) => void
  /** The same where the source has not answered otherwise for another of its parts. */
  readonly blindUnlessLooked: (source: string, reason: BlindReason) => void
  readonly sources: () => BundleMeta['sources']
  /** Whether anything could be read at all. */
  readonly hasLooked: () => boolean
}

export function createAnswers(): Answers {
  const answers = new Map<string, SourceAnswer>()
  let hasLooked = false
  const set = (source: string, coverage: Partial<Coverage>): void => {
    answers.set(source, { kind: 'looked', coverage: { from: null, to: null, remark: null, ...coverage } })
  }
  const blind = (source: string, { code, detail }: BlindReason): void => {
    answers.set(source, { kind: 'blind', reason: `${code}: ${detail}` })
  }
  return {
    looked: (source, coverage = {}) => {
      hasLooked = true
      set(source, coverage)
    },
    unknownKind: (source, group) => set(source, { remark: `the cluster does not serve this kind${absent(group)}` }),
    blind,
    blindUnlessLooked: (source, reason) => {
      if (answers.get(source)?.kind !== 'looked') blind(source, reason)
    },
    sources: () => answers,
    hasLooked: () => hasLooked,
  }
}

function absent(group: string): string {
  return group === RESOURCES.autoscalingRunnerSets.group ? ': ARC is not installed' : ''
}
