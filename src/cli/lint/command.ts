import type { Group, Leaf } from '#/cli/frame/command.ts'

export const lintGitLabFlags = {
  output: {
    kind: 'option',
    short: 'o',
    value: 'FORMAT',
    summary: 'The form of the output; sarif (2.1.0) is what code scanning takes',
    choices: ['text', 'json', 'yaml', 'markdown', 'sarif'],
    default: 'text',
  },
} as const

const gitlab: Leaf<typeof lintGitLabFlags> = {
  kind: 'leaf',
  name: 'gitlab',
  summary: "What is wrong with a GitLab Runner's config.toml, each with its line and column",
  description:
    'Reads a config.toml as GitLab Runner 17 and 18 do, and tells what the runner refuses or passes over in silence: requests and limits in a table of their own, a pod_spec without its feature flag or with containers as a field, double brackets around kubernetes, values of the wrong type, and keys that it does not know, with what was perhaps meant. Nothing but the file is read, and no value of it is shown. signalbox audit gitlab does the same for a bundle, and looks at the token too.',
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
    0: 'There is no finding above info.',
    1: 'There are findings.',
    2: 'The command line is wrong.',
    3: 'The file could not be read.',
  },
  load: () => import('./gitlab.ts'),
}

export const lint: Group = {
  kind: 'group',
  name: 'lint',
  summary: 'What is wrong with a configuration file of a runner',
  description: 'Looks at files of runners, without a cluster: for editors, and for pipelines before a rollout.',
  commands: [gitlab],
}
