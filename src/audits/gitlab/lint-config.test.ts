import { describe, expect, it } from 'vitest'
import { lintGitLabConfig } from './lint-config.ts'

const RUNNER = `concurrent = 4

[[runners]]
  name = "ci"
  url = "https://gitlab.example.com/"
  token = "glrt-abcdefghijklmnopqrst"
  executor = "kubernetes"
`

/** `class line:column`, each with its evidence and its hint. */
function reported(text: string): readonly string[] {
  return lintGitLabConfig(text, 'config.toml').map(
    ({ class: name, subject, evidence, hint }) =>
      `${name} ${subject.line}:${subject.column} ${evidence.join('; ')} → ${hint}`,
  )
}

/** The text after the runner, which has 7 lines. */
const below = (text: string): readonly string[] => reported(RUNNER + text)
const places = (text: string): readonly string[] => below(text).map((line) => line.split(' ').slice(0, 2).join(' '))

describe('resources in a nested table', () => {
  it('are reported with the flat keys to use', () => {
    expect(
      below(`  [runners.kubernetes]
    image = "alpine"
    [runners.kubernetes.limits]
      cpu = "1"
      memory = "2Gi"
    [runners.kubernetes.requests]
      cpu = "500m"
`),
    ).toEqual([
      'nested-resource-table 10:5 [runners.kubernetes.limits] holds cpu and memory, which the runner does not read there → write cpu_limit = "1" and memory_limit = "2Gi" as keys of [runners.kubernetes], before any header below it',
      'nested-resource-table 13:5 [runners.kubernetes.requests] holds cpu, which the runner does not read there → write cpu_request = "500m" as a key of [runners.kubernetes], before any header below it',
    ])
  })

  it.each<[string, string, readonly string[]]>([
    [
      'a table of tables',
      '[runners.kubernetes.resources.limits]\ncpu = "1"\n[runners.kubernetes.resources.requests]\nmemory = "1Gi"\n',
      ['8:1 cpu_limit', '10:1 memory_request'],
    ],
    ['braces', '[runners.kubernetes]\nresources = { limits = { cpu = "1" } }\n', ['9:15 cpu_limit']],
    ['dots', '[runners.kubernetes]\nlimits.cpu = "1"\nlimits.memory = "1Gi"\n', ['9:1 cpu_limit,memory_limit']],
    ['the helper', '[runners.kubernetes.helper_limits]\nmemory = "1Gi"\n', ['8:1 helper_memory_limit']],
    ['a service', '[runners.kubernetes.service_resources.requests]\ncpu = 1\n', ['8:1 service_cpu_request']],
    ['by resource', '[runners.kubernetes.memory]\nlimit = "1Gi"\n', ['8:1 memory_limit']],
    ['flat names inside', '[runners.kubernetes.resources]\ncpu_limit = "1"\n', ['8:1 cpu_limit']],
    ['a flat name as the table', '[runners.kubernetes.cpu_limit]\nbuild = "1"\n', ['8:1 ']],
    ['an empty one', '[runners.kubernetes.limits]\n', ['8:1 ']],
    ['storage', '[runners.kubernetes.limits]\n"ephemeral-storage" = "10Gi"\n', ['8:1 ephemeral_storage_limit']],
    [
      'a header in between',
      '[runners.kubernetes]\n[runners.kubernetes.node_selector]\npool = "ci"\ncpu_limit = "1"\n',
      ['11:1 cpu_limit'],
    ],
    [
      'a header in between, of a strict table',
      '[runners.kubernetes.pod_security_context]\nfs_group = 1\nmemory_request = "1Gi"\n',
      ['10:1 memory_request'],
    ],
    ['double brackets', '[[runners.kubernetes.limits]]\ncpu = "1"\n', ['8:1 cpu_limit']],
  ])('are found as %s', (_, text, wanted) => {
    const findings = lintGitLabConfig(RUNNER + text, 'config.toml')
    expect(findings.map((one) => one.class)).toEqual(wanted.map(() => 'nested-resource-table'))
    expect(
      findings.map(({ subject, fields }) => `${subject.line}:${subject.column} ${String(fields?.['flatKeys'])}`),
    ).toEqual(wanted)
  })

  it('are no finding if a label has the name of a key that is set', () => {
    expect(below('[runners.kubernetes]\ncpu_limit = "1"\n[runners.kubernetes.pod_labels]\ncpu_limit = "1"\n')).toEqual(
      [],
    )
  })

  it('do not print a value that is not a quantity', () => {
    expect(below('[runners.kubernetes.limits]\ncpu = "glpat-secret"\n').join('')).not.toContain('secret')
  })
})

const SPEC = `  [runners.kubernetes]
  [[runners.kubernetes.pod_spec]]
    name = "seccomp"
    patch_type = "strategic"
    patch = '''
      containers:
        - name: build
          securityContext: { seccompProfile: { type: RuntimeDefault } }
    '''
`
const FLAG = 'FF_USE_ADVANCED_POD_SPEC_CONFIGURATION'

describe('a pod_spec', () => {
  it('needs its flag', () => {
    expect(below(SPEC)).toEqual([
      `pod-spec-flag-missing 9:3 the runner has a pod_spec, but ${FLAG} is not set → add ${FLAG} = true under [runners.feature_flags], or "${FLAG}=true" to environment of [[runners]]: without it pod_spec is silently ignored`,
    ])
  })

  it.each<[string, string, boolean]>([
    ['a table', `[runners.feature_flags]\n${FLAG} = true\n`, true],
    ['a table that says no', `[runners.feature_flags]\n${FLAG} = false\n`, false],
    ['another flag', '[runners.feature_flags]\nFF_USE_FASTZIP = true\n', false],
    ['a variable', `environment = ["A=b", "${FLAG}=true"]\n`, true],
    ['a variable 1', `environment = ["${FLAG}=1"]\n`, true],
    ['a variable yes', `environment = ["${FLAG}=yes"]\n`, false],
    ['the last of two variables', `environment = ["${FLAG}=false", "${FLAG}=true"]\n`, true],
    ['the table before the variable', `environment = ["${FLAG}=true"]\nfeature_flags = { ${FLAG} = false }\n`, false],
  ])('is switched on by %s', (_, text, isOn) => {
    expect(places(text + SPEC)).toEqual(isOn ? [] : [expect.stringMatching(/^pod-spec-flag-missing /)])
  })

  it('has a finding for each runner without the flag, and for no other', () => {
    const second = RUNNER.replace('concurrent = 4\n\n', '')
    const text = `${RUNNER}environment = ["${FLAG}=true"]\n${SPEC}${second}${SPEC}`
    expect(reported(text)).toEqual([expect.stringMatching(/^pod-spec-flag-missing 24:3 /)])
  })

  const on = `feature_flags = { ${FLAG} = true }\n`
  it.each<[string, string, readonly string[]]>([
    [
      'containers in a list of tables',
      '[[runners.kubernetes.pod_spec]]\nname = "x"\n[[runners.kubernetes.pod_spec.containers]]\nname = "build"\n',
      ['pod-spec-containers 11:1'],
    ],
    [
      'containers as a field',
      '[[runners.kubernetes.pod_spec]]\ncontainers = [{ name = "build" }]\n',
      ['pod-spec-containers 10:1'],
    ],
    [
      'containers in a single table',
      '[runners.kubernetes.pod_spec]\ncontainers = [{ name = "build" }]\n',
      ['pod-spec-containers 10:1'],
    ],
    [
      'init containers',
      '[[runners.kubernetes.pod_spec]]\ninitContainers = [{ name = "x" }]\n',
      ['pod-spec-containers 10:1'],
    ],
    [
      'a merge patch that takes the helper away',
      '[[runners.kubernetes.pod_spec]]\npatch_type = "merge"\npatch = """\n  containers:\n  - name: build\n"""\n',
      ['pod-spec-containers 11:1'],
    ],
    [
      'a merge patch in JSON',
      `[[runners.kubernetes.pod_spec]]\npatch_type = "merge"\npatch = '{ "hostname": "a", "containers": [] }'\n`,
      ['pod-spec-containers 11:1'],
    ],
    ['a single table', '[runners.kubernetes.pod_spec]\nname = "x"\n', ['syntax 9:1']],
    ['another field', '[[runners.kubernetes.pod_spec]]\nhostname = "x"\n', ['unknown-key 10:1']],
  ])('is reported for %s', (_, text, wanted) => {
    expect(places(on + text)).toEqual(wanted)
  })

  it.each<[string, string]>([
    ['a merge patch with both containers', 'merge", patch = "containers: [{name: build}, {name: helper}]'],
    ['a merge patch of something else', 'merge", patch = "hostname: containers'],
    ['a merge patch with containers deeper down', 'merge", patch = "affinity:\\n  containers: 1'],
    ['a strategic patch', 'strategic", patch = "containers: [{name: build}]'],
    ['a JSON patch', 'json", patch = "[{op: add, path: /containers/0/tty, value: true}]'],
  ])('is fine with %s', (_, patch) => {
    expect(below(`${on}kubernetes = { pod_spec = [{ name = "x", patch_type = "${patch}" }] }\n`)).toEqual([])
  })
})

describe('unknown keys', () => {
  it.each<[string, string, RegExp]>([
    ['a slip', '[runners.kubernetes]\ncpu_limt = "1"\n', /^unknown-key 9:1 .*did you mean cpu_limit/],
    ['dashes', '[runners.kubernetes]\nservice-account = "x"\n', /did you mean service_account\?$/],
    ['humps', '[runners.kubernetes]\ncpuLimit = "1"\n', /did you mean cpu_limit\?$/],
    ['a table that is too deep', '[runners.kubernetes]\nenvironment = ["A=b"]\n', /it belongs to \[\[runners\]\]/],
    ['a table that is too high', 'node_selector = { a = "b" }\n', /it belongs to \[runners\.kubernetes\]/],
    [
      'the wrong header',
      '[[runner.kubernetes.volumes.pvc]]\nname = "x"\n',
      /^unknown-key 8:1 .*did you mean runners\?/,
    ],
    ['a key that is gone', '[runners.kubernetes]\nterminationGracePeriodSeconds = 60\n', /GitLab Runner 17 removed it/],
    ['a volume', '[[runners.kubernetes.volumes.empty_dir]]\nmount_pth = "/x"\n', /did you mean mount_path\?/],
    ['another executor', '[runners.docker]\nimagee = "x"\n', /did you mean image\?/],
    ['nothing like it', '[runners.kubernetes]\nquux_frobnicate = 1\n', /remove it, or see/],
  ])('are reported for %s', (_, text, wanted) => {
    expect(below(text)).toEqual([expect.stringMatching(wanted)])
  })

  it('are reported once for a table, and not for all that is in it', () => {
    expect(places('[runners.kuberntes]\na = 1\nb = 2\n[runners.kuberntes.c]\nd = 1\n')).toEqual(['unknown-key 8:1'])
  })

  it('are matched without case, like the decoder', () => {
    expect(below('[runners.Kubernetes]\nCPU_Limit = "1"\n[runners.cache]\ntype = "s3"\n')).toEqual([])
  })
})

describe('values for which GitLab Runner rejects the file', () => {
  it.each<[string, string, RegExp]>([
    [
      'a number for a text',
      '[runners.kubernetes]\ncpu_limit = 1\n',
      /^syntax 9:1 runners\.kubernetes\.cpu_limit is a number/,
    ],
    ['a text for a flag', '[runners.kubernetes]\nprivileged = "true"\n', /it must be true or false, without quotes/],
    ['a text for a number', '[runners.kubernetes]\npoll_timeout = "600"\n', /a whole number without quotes/],
    ['a text for a list', '[runners.kubernetes]\nimage_pull_secrets = "x"\n', /a list of strings/],
    [
      'a flag among labels',
      '[runners.kubernetes.node_selector]\ngpu = true\n',
      /^syntax 9:1 .*node_selector\.gpu is true/,
    ],
    ['a text among flags', '[runners.feature_flags]\nFF_X = "true"\n', /FF_X is a string/],
    ['a value for a table', 'kubernetes = "x"\n', /it must be a table: \[runners\.kubernetes\]/],
    ['a list for a table', '[[runners.cache]]\nType = "s3"\n', /^syntax 8:1 .*a table: \[runners\.cache\]/],
    [
      'a table for a list',
      '[runners.kubernetes.volumes.pvc]\nname = "x"\n',
      /\[\[runners\.kubernetes\.volumes\.pvc\]\]/,
    ],
  ])('are reported for %s', (_, text, wanted) => {
    expect(below(text)).toEqual([expect.stringMatching(wanted)])
  })

  it('include a runner without its double brackets', () => {
    expect(reported('[runners]\nname = "x"\n')).toEqual([expect.stringMatching(/^syntax 1:1 .*\[\[runners\]\]/)])
  })

  it('are reported with the position of the first mistake, without its text', () => {
    expect(reported('[[runners]]\ntoken = glrt-secret\n')).toEqual([
      'syntax 2:9 line 2, column 9: a text needs quotes → correct this line: GitLab Runner rejects the whole file, so the rest was not checked',
    ])
  })
})

describe('the table of the executor', () => {
  it('is reported with double brackets, and checked anyway', () => {
    expect(places('  [[runners.kubernetes]]\n    cpu_limt = "1"\n')).toEqual([
      'kubernetes-table-array 8:3',
      'unknown-key 9:5',
    ])
  })
})

describe('lintGitLabConfig', () => {
  it('reports its findings in the order of the file', () => {
    expect(places('nmae = 1\n[runners.kubernetes]\n[runners.kubernetes.limits]\ncpu = "1"\n[runners.cahce]\n')).toEqual(
      ['unknown-key 8:1', 'nested-resource-table 10:1', 'unknown-key 12:1'],
    )
  })
})
