import { isSameRunner, knownRunner } from './runner.ts'
import type { Runner } from './runner.ts'

/**
 * A slot is one pod, by its UID: a place where at most one job will ever execute.
 *
 *   absent ─appeared─> warm ─claimed─> claimed ─minted─> minted ─registered─> registered ─started─> executing ─completed─> ended
 *                       ^                 │
 *                       └──── withdrawn ──┘      ended: the pod finished.  lost: the pod was taken away.
 *
 * The intended job is our guess until GitHub's `in_progress` names the runner; the executing job comes from GitHub.
 */
export type Slot = SlotFacts & { readonly generation: number } & SlotPhase

export type SlotFacts = {
  readonly uid: string
  readonly namespace: string
  readonly pod: string
  readonly scope: string
  readonly node: string | null
  readonly appearedAt: number
}

export type SlotPhase =
  | { readonly state: 'warm' }
  | { readonly state: 'claimed'; readonly intended: number; readonly claimedAt: number }
  | ({ readonly state: 'minted' } & Holding)
  | ({ readonly state: 'registered' } & Holding)
  | { readonly state: 'executing'; readonly executing: number; readonly runner: Runner; readonly startedAt: number }
  | ({ readonly state: 'ended' } & Gone)
  | ({ readonly state: 'lost' } & Gone)

type Holding = { readonly intended: number | null; readonly runner: Runner; readonly mintedAt: number }

type Gone = {
  readonly executed: number | null
  readonly runner: Runner | null
  /** The intended job when the slot ended; the recovery loops read it. */
  readonly intended: number | null
  readonly endedAt: number
}

export type SlotState = SlotPhase['state']

export const SLOT_STATES = [
  'warm',
  'claimed',
  'minted',
  'registered',
  'executing',
  'ended',
  'lost',
] as const satisfies readonly SlotState[]

export type SlotEvent =
  | { readonly kind: 'appeared'; readonly at: number; readonly facts: SlotFacts }
  | { readonly kind: 'claimed'; readonly at: number; readonly job: number }
  | { readonly kind: 'minted'; readonly at: number; readonly runner: Runner }
  | { readonly kind: 'registered'; readonly at: number; readonly runner: Runner }
  | { readonly kind: 'retargeted'; readonly at: number; readonly job: number }
  | { readonly kind: 'withdrawn'; readonly at: number; readonly job: number }
  | { readonly kind: 'started'; readonly at: number; readonly job: number; readonly runner: Runner }
  | { readonly kind: 'completed'; readonly at: number; readonly job: number; readonly runner: Runner }
  | { readonly kind: 'pod-ended'; readonly at: number }
  | { readonly kind: 'pod-lost'; readonly at: number }

export type SlotEventKind = SlotEvent['kind']

type In<S extends SlotState> = Extract<Slot, { state: S }>
type Answer<K extends SlotEventKind, S extends SlotState | 'absent'> =
  | 'ignore'
  | ((event: Extract<SlotEvent, { kind: K }>, slot: S extends SlotState ? In<S> : null) => SlotPhase | 'ignore')
type Table = { readonly [S in SlotState | 'absent']: { readonly [K in SlotEventKind]: Answer<K, S> } }

const leave =
  (state: 'ended' | 'lost') =>
  (event: { readonly at: number }, slot: Slot): SlotPhase => ({
    state,
    executed: slot.state === 'executing' ? slot.executing : null,
    runner: 'runner' in slot ? slot.runner : null,
    intended: 'intended' in slot ? slot.intended : null,
    endedAt: event.at,
  })

const end = leave('ended')
const lose = leave('lost')

const start = (
  event: { readonly at: number; readonly job: number; readonly runner: Runner },
  slot: { readonly runner: Runner },
): SlotPhase | 'ignore' =>
  isSameRunner(event.runner, slot.runner)
    ? {
        state: 'executing',
        executing: event.job,
        runner: knownRunner(slot.runner, event.runner),
        startedAt: event.at,
      }
    : 'ignore'

/** GitHub's `in_progress` can be lost; a completion that names this runner shows that it executed the job. */
const complete = (
  event: { readonly at: number; readonly job: number; readonly runner: Runner },
  slot: { readonly runner: Runner },
): SlotPhase | 'ignore' =>
  isSameRunner(event.runner, slot.runner)
    ? {
        state: 'ended',
        executed: event.job,
        runner: knownRunner(slot.runner, event.runner),
        intended: null,
        endedAt: event.at,
      }
    : 'ignore'

/** A runner with a JIT configuration cannot become warm again: it stays without an intended job. */
const forget = (event: { readonly job: number }, slot: In<'minted' | 'registered'>): SlotPhase | 'ignore' =>
  slot.intended === event.job
    ? { state: slot.state, intended: null, runner: slot.runner, mintedAt: slot.mintedAt }
    : 'ignore'

const aim = (event: { readonly job: number }, slot: In<'minted' | 'registered'>): SlotPhase | 'ignore' =>
  slot.intended === event.job
    ? 'ignore'
    : { state: slot.state, intended: event.job, runner: slot.runner, mintedAt: slot.mintedAt }

/** The pod of a short job can be gone before GitHub's report, which still shows what the runner executed. */
const hearLate = (
  event: { readonly job: number; readonly runner: Runner },
  slot: In<'ended' | 'lost'>,
): SlotPhase | 'ignore' =>
  slot.executed === null && slot.runner !== null && isSameRunner(event.runner, slot.runner)
    ? {
        state: slot.state,
        executed: event.job,
        runner: knownRunner(slot.runner, event.runner),
        intended: null,
        endedAt: slot.endedAt,
      }
    : 'ignore'

const nothing = {
  appeared: 'ignore',
  claimed: 'ignore',
  minted: 'ignore',
  registered: 'ignore',
  retargeted: 'ignore',
  withdrawn: 'ignore',
  started: 'ignore',
  completed: 'ignore',
  'pod-ended': 'ignore',
  'pod-lost': 'ignore',
} as const satisfies Table['absent']

export const SLOT_TABLE: Table = {
  absent: { ...nothing, appeared: () => ({ state: 'warm' }) },
  warm: {
    ...nothing,
    claimed: (event) => ({ state: 'claimed', intended: event.job, claimedAt: event.at }),
    'pod-ended': end,
    'pod-lost': lose,
  },
  claimed: {
    ...nothing,
    minted: (event, slot) => ({
      state: 'minted',
      intended: slot.intended,
      runner: event.runner,
      mintedAt: event.at,
    }),
    retargeted: (event, slot) =>
      slot.intended === event.job ? 'ignore' : { state: 'claimed', intended: event.job, claimedAt: event.at },
    withdrawn: (event, slot) => (slot.intended === event.job ? { state: 'warm' } : 'ignore'),
    'pod-ended': end,
    'pod-lost': lose,
  },
  minted: {
    ...nothing,
    registered: (event, slot) =>
      isSameRunner(event.runner, slot.runner)
        ? {
            state: 'registered',
            intended: slot.intended,
            runner: knownRunner(slot.runner, event.runner),
            mintedAt: slot.mintedAt,
          }
        : 'ignore',
    retargeted: aim,
    withdrawn: forget,
    started: start,
    completed: complete,
    'pod-ended': end,
    'pod-lost': lose,
  },
  registered: {
    ...nothing,
    retargeted: aim,
    withdrawn: forget,
    started: start,
    completed: complete,
    'pod-ended': end,
    'pod-lost': lose,
  },
  executing: {
    ...nothing,
    completed: (event, slot) => (slot.executing === event.job ? complete(event, slot) : 'ignore'),
    'pod-ended': end,
    'pod-lost': lose,
  },
  ended: { ...nothing, started: hearLate, completed: hearLate },
  lost: { ...nothing, started: hearLate, completed: hearLate },
}

/** The slot after the event, or null if the event changes nothing. */
export function nextSlot(slot: Slot | null, event: SlotEvent): Slot | null {
  const answer = SLOT_TABLE[slot?.state ?? 'absent'][event.kind]
  if (answer === 'ignore') return null
  // The table's type pairs state with event; TypeScript cannot follow the two lookups, the table test does.
  const phase = (answer as (event: SlotEvent, slot: Slot | null) => SlotPhase | 'ignore')(event, slot)
  if (phase === 'ignore') return null
  const facts = slot === null ? (event.kind === 'appeared' ? event.facts : null) : pickSlotFacts(slot)
  return facts === null ? null : { ...facts, generation: (slot?.generation ?? 0) + 1, ...phase }
}

export function pickSlotFacts(slot: Slot): SlotFacts {
  const { uid, namespace, pod, scope, node, appearedAt } = slot
  return { uid, namespace, pod, scope, node, appearedAt }
}

/** The slot still exists: it uses a node and may still execute. */
export function isLive(slot: Slot): boolean {
  return slot.state !== 'ended' && slot.state !== 'lost'
}

export function intendedJob(slot: Slot): number | null {
  return 'intended' in slot ? slot.intended : null
}

export function slotRunner(slot: Slot): Runner | null {
  return 'runner' in slot ? slot.runner : null
}
