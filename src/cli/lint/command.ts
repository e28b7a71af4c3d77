import type { Group, Leaf } from '#/cli/frame/command.ts'

export const lintGitLabFlags = {
  output: {
    kind: 'option',
    short: 'o',
    value: 'FORMAT',
    summary: 'Output format; sarif (2.1.0) is for code scanning',
    choices: ['text', 'json', 'yaml', 'markdown', 'sarif'],
    default: 'text',
  },
} as const

const gitlab: Leaf<typeof lintGitLabFlags> = {
  kind: 'leaf',
  name: 'gitlab',
  summary: "Check a GitLab Runner's config.toml; lists problems with their line and column",
  description:
    'Reads a config.toml like GitLab Runner 17 and 18 and reports what the runner refuses or silently ignores: requests and limits in a separate table, a pod_spec without its feature flag or with containers as a field, double brackets around kubernetes, values of the wrong type, and unknown keys, with suggestions. It reads only the file and prints no values from it. signalbox audit gitlab does the same for a bundle, and also checks the token.',
  examples: [
    { line: 'signalbox lint gitlab config.toml', what: 'Before it is rolled out' },
    { line: 'signalbox lint gitlab config.toml -o sarif > lint.sarif', what: 'For code scanning' },
    {
      line: 'kubectl get cm gitlab-runner -o json | jq -r .data | signalbox lint gitlab /dev/stdin',
      what: 'From a pipe',
    },
  ],
  flags: lintGitLabFlags,
  positionals: [{ name: 'FILE', summary: 'The config.toml', required: true }],
  exitCodes: {
    0: 'No finding above info.',
    1: 'There are findings.',
    2: 'The command line is wrong.',
    3: 'The file could not be read.',
  },
  load: () => import('./gitlab.ts'),
}

export const lint: Group = {
  kind: 'group',
  name: 'lint',
  summary: 'Check configuration files of runners',
  description: 'Checks configuration files without a cluster: for editors, and for pipelines before a rollout.',
  commands: [gitlab],
}
