import type { KnownFleet } from './known-fleets.ts'

export type FirstRun = {
  readonly right: number
  /** Of `right`, how many fleets had no wrong answer. */
  readonly fleets: number
  readonly wrong: readonly Wrong[]
}

export type Wrong = {
  readonly fleet: string
  readonly audit: string
  readonly kind: 'miss' | 'false alarm'
  /** It reads as an all-clear where something was wrong, or its advice would do harm. */
  readonly isDangerous: boolean
  readonly what: string
}

/** The score of a set on the rules as they were before anyone had seen it. It is never updated. */
export const FIRST_RUNS: Partial<Readonly<Record<KnownFleet['folder'], FirstRun>>> = {
  'fresh-2': {
    right: 79,
    fleets: 33,
    wrong: [
      {
        fleet: 'app-installation-suspended',
        audit: 'auth',
        kind: 'miss',
        isDangerous: true,
        what: 'no finding and exit 0, while GitHub refused the installation as suspended and two sets were down',
      },
      {
        fleet: 'pat-expired-401',
        audit: 'auth',
        kind: 'miss',
        isDangerous: false,
        what: 'no `credential-refused` for 401 Bad credentials; it reported the personal token and the blind rate limit',
      },
      {
        fleet: 'date-tags-behind',
        audit: 'drift',
        kind: 'miss',
        isDangerous: true,
        what: 'an image three weeks behind its declared date tag was passed over in silence, beside another finding',
      },
      {
        fleet: 'image-reference-forms',
        audit: 'drift',
        kind: 'false alarm',
        isDangerous: false,
        what: '`2.336.0` and `v2.336.0` were reported as `mixed-versions`',
      },
      {
        fleet: 'cache-url-wrong-namespace',
        audit: 'cache',
        kind: 'false alarm',
        isDangerous: false,
        what: '`service-unready` on a Service that does not exist, beside the right `unreachable`',
      },
      {
        fleet: 'corvid-calico-unauthorized',
        audit: 'nodes',
        kind: 'false alarm',
        isDangerous: false,
        what: '`bootstrap-loop` beside the right `never-starts-pods`, for failures of the CNI plugin',
      },
      {
        fleet: 'glasswing-filetable-and-cgroups',
        audit: 'nodes',
        kind: 'false alarm',
        isDangerous: false,
        what: '`bootstrap-loop` beside the right `never-starts-pods` and `cgroup-leak`',
      },
    ],
  },
  'fresh-3': {
    right: 44,
    fleets: 19,
    wrong: [
      {
        fleet: 'capi-bootstrap-loop',
        audit: 'nodes',
        kind: 'miss',
        isDangerous: false,
        what: 'no `bootstrap-loop` for six Machines that named their deployment by a label only; it reported the `repeated-deaths` beside it',
      },
    ],
  },
}
