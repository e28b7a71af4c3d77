import { lintGitLabConfig } from './lint-config.ts'
import { servingFindings } from './serving-findings.ts'
import { tokenFindings } from './token-findings.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { Audit } from '#/core/audit/audit.ts'
import type { Observed } from '#/core/basics/observed.ts'

export const gitlab: Audit = {
  id: 'gitlab',
  asks: 'Is the GitLab Runner configuration sound?',
  about:
    'Reads config.toml as GitLab Runner 17 and 18 do, every key with its line: resources must be flat keys, pod patches need their feature flag, and unknown keys are silently ignored. The fleet file says which Secret holds the runner token and which role the token owner has. The list of runners at GitLab, if it is given, shows which runners of the configuration are registered, online and not paused. To check one file without a fleet: signalbox lint gitlab FILE.',
  reads: [
    { source: 'gitlab/config', weight: 'needed', gives: "the runner's configuration" },
    {
      source: 'gitlab/runners',
      weight: 'useful',
      gives: 'which runners are registered, online, paused, locked, of a group or a project, and their tags',
    },
    {
      source: 'gitlab/token-owner',
      weight: 'useful',
      gives: "the role of the token's owner in the group",
    },
    { source: 'kubernetes/secrets', weight: 'useful', gives: 'whether the Secret with the runner token exists' },
    {
      source: 'fleet',
      weight: 'useful',
      gives: "the token's Secret, its owner's role, and whether tokens are created automatically",
    },
  ],
  classes: [
    {
      class: 'nested-resource-table',
      severity: 'warning',
      meaning: 'Requests or limits are in a nested table, where GitLab Runner does not read them.',
      next: 'Write them as flat keys of [runners.kubernetes]: cpu_limit, memory_request, ephemeral_storage_limit.',
    },
    {
      class: 'pod-spec-containers',
      severity: 'warning',
      meaning: 'A pod_spec has containers as a table field, or replaces the job containers with a merge patch.',
      next: 'Set variables with environment under [[runners]]; change containers with a patch of patch_type = "strategic".',
    },
    {
      class: 'pod-spec-flag-missing',
      severity: 'warning',
      meaning:
        'There is a pod_spec, but FF_USE_ADVANCED_POD_SPEC_CONFIGURATION is not on: the pod_spec is silently ignored.',
      next: 'Set the flag under [runners.feature_flags], or in environment of [[runners]].',
    },
    {
      class: 'kubernetes-table-array',
      severity: 'warning',
      meaning: 'The table runners.kubernetes is written with double brackets, as a list.',
      next: 'Write [runners.kubernetes]; only [[runners]] is a list.',
    },
    {
      class: 'unknown-key',
      severity: 'warning',
      meaning: 'GitLab Runner has no such key here: it is silently ignored.',
      next: 'Correct the spelling, or move the key to the table that it belongs to.',
    },
    {
      class: 'syntax',
      severity: 'warning',
      meaning: 'The file is not TOML, or a value has a type for which GitLab Runner rejects the whole file.',
      next: 'Correct the line. A running runner keeps its old configuration, but it cannot restart.',
    },
    {
      class: 'token-secret-missing',
      severity: 'warning',
      meaning: 'The Secret that holds the runner token is missing or empty: no runner registers.',
      next: 'Create the Secret, or re-apply what creates it.',
    },
    {
      class: 'token-owner-role',
      severity: 'warning',
      meaning: 'Runner tokens are created automatically, but the owner of the credential is not Owner of the group.',
      next: 'Give it the role Owner: with a lower role token creation fails silently.',
    },
    {
      class: 'runner-not-serving',
      severity: 'warning',
      meaning:
        'A runner of the configuration gets no jobs: GitLab does not list it, lists it as paused, offline, stale or never contacted, or no runner has a declared tag.',
      next: 'Resume it, or check its token, its pod and its way to GitLab.',
    },
  ],
  applies: ({ declared, snapshot }) =>
    declared.gitlab !== undefined || wasAsked(snapshot.gitlab.config) || wasAsked(snapshot.gitlab.runners),
  examine: (fleet) => {
    const { config } = fleet.snapshot.gitlab
    return [
      ...(config.kind === 'seen' ? lintGitLabConfig(config.value, bundlePath.gitlabConfig) : []),
      ...tokenFindings(fleet),
      ...servingFindings(fleet),
    ]
  },
}

function wasAsked(source: Observed<unknown>): boolean {
  return source.kind !== 'blind' || source.reason.code !== 'not-asked'
}
