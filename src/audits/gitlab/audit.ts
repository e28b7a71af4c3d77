import { lintGitLabConfig } from './lint-config.ts'
import { tokenFindings } from './token-findings.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { Audit } from '#/core/audit/audit.ts'

export const gitlab: Audit = {
  id: 'gitlab',
  asks: 'Is the GitLab Runner configuration sound?',
  about:
    'Reads config.toml as GitLab Runner 17 and 18 do, every key with its line: resources have to be flat keys, patches of the pod need their feature flag, and a key that the runner does not know is passed over in silence. Whether the Secret with the runner token exists, and whether the owner of the token may make tokens, is taken from the fleet file. The same for one file without a fleet: signalbox lint gitlab FILE.',
  reads: [
    { source: 'gitlab/config', weight: 'needed', tells: 'what the runner is told' },
    { source: 'kubernetes/secrets', weight: 'useful', tells: 'whether the Secret with the runner token exists' },
    { source: 'fleet', weight: 'useful', tells: "the token's Secret, its owner's role, and who makes tokens" },
  ],
  classes: [
    {
      class: 'nested-resource-table',
      severity: 'warning',
      meaning: 'Requests or limits stand in a table of their own, where GitLab Runner does not read them.',
      next: 'Write them as flat keys of [runners.kubernetes]: cpu_limit, memory_request, ephemeral_storage_limit.',
    },
    {
      class: 'pod-spec-containers',
      severity: 'warning',
      meaning:
        'A pod_spec has containers as a field of the table, or replaces the containers of the job by a merge patch.',
      next: 'Set variables by environment under [[runners]]; change containers by a patch with patch_type = "strategic".',
    },
    {
      class: 'pod-spec-flag-missing',
      severity: 'warning',
      meaning:
        'There is a pod_spec, and FF_USE_ADVANCED_POD_SPEC_CONFIGURATION is not on: it is passed over in silence.',
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
      meaning: 'GitLab Runner knows no such key at this place: it has no effect, and nobody is told.',
      next: 'Correct the spelling, or move the key to the table that it belongs to.',
    },
    {
      class: 'syntax',
      severity: 'warning',
      meaning: 'The file is not TOML, or a value is of a type for which GitLab Runner refuses the whole file.',
      next: 'Correct the line; a running runner keeps its old configuration until it is restarted, and does not start again.',
    },
    {
      class: 'token-secret-missing',
      severity: 'warning',
      meaning: 'The Secret that holds the runner token is not there, or is empty: no runner registers.',
      next: 'Create the Secret, or apply again what makes it.',
    },
    {
      class: 'token-owner-role',
      severity: 'warning',
      meaning: 'Runner tokens are made by themselves, and the owner of the credential is not Owner of the group.',
      next: 'Give it the role Owner: below it the creation of a token fails in silence.',
    },
  ],
  applies: (fleet) =>
    fleet.declared.gitlab !== undefined ||
    fleet.snapshot.gitlab.config.kind !== 'blind' ||
    fleet.snapshot.gitlab.config.reason.code !== 'not-asked',
  examine: (fleet) => {
    const { config } = fleet.snapshot.gitlab
    return [
      ...(config.kind === 'seen' ? lintGitLabConfig(config.value, bundlePath.gitlabConfig) : []),
      ...tokenFindings(fleet),
    ]
  },
}
