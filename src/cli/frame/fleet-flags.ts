import { liveFlags } from './live-flags.ts'
import type { FlagSet } from './flag.ts'

/** Flags of commands that read a whole fleet. */
export const fleetLiveFlags = {
  fleet: {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The fleet file: lanes, node pools, owners, thresholds; the rest is taken from the cluster',
  },
  'github-runners-json': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "A saved copy of GitHub's list of runners, for use without access to GitHub; its age is checked",
  },
  'gitlab-config': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "The GitLab Runner's config.toml",
  },
  'gitlab-runners-json': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "A saved copy of GitLab's list of the runners of a group; GitLab itself is never called",
  },
  repo: liveFlags.repo,
  'log-bytes': liveFlags['log-bytes'],
} as const satisfies FlagSet
