import { liveFlags } from './live-flags.ts'
import type { FlagSet } from './flag.ts'

/** Flags of audits about the machines behind the nodes. */
export const hostFlags = {
  'this-node': {
    kind: 'option',
    value: 'NAME',
    summary: 'This machine is that node: also read its kernel tables (nodes)',
  },
  loki: liveFlags.loki,
} as const satisfies FlagSet

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
    summary:
      "A saved copy of GitLab's list of the runners of a group; without it GitLab is called only if gitlab.token is set",
  },
  repo: liveFlags.repo,
  'log-bytes': liveFlags['log-bytes'],
} as const satisfies FlagSet
