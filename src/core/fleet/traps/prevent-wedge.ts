import type { ArcGeneration } from '#/core/fleet/arc-version.ts'

/** How a wedged set is kept from wedging again: docs/reap.md. */
export function preventWedge(generation: ArcGeneration): string {
  switch (generation) {
    case 'upTo0.12':
    case '0.13':
    case '0.14':
      return 'run the controller with flags.updateStrategy=immediate (its Helm value): with eventual every change of the values can wedge the set again, at any minRunners'
    case 'head':
      return 'this development build has no strategy that avoids it: change the runner spec only while the set has no runners, or use a release from 0.15.0 on'
    case '0.15':
      return 'by its sources this version removes idle runners of an old revision itself: if it wedged all the same, report it to ARC with the evidence of this act'
  }
}
