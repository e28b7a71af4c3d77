import type { SourceFile } from '#test/tidy/source-files.ts'

/** A rule that the linter cannot check. `offends` says what is wrong and what to do instead. */
export type TidyRule = {
  readonly title: string
  readonly applies: RegExp
  readonly offends: (file: SourceFile) => readonly string[]
  readonly bad: { readonly path: string; readonly text: string }
  readonly good: { readonly path: string; readonly text: string }
}

const perLine =
  (pattern: RegExp, advice: string) =>
  (file: SourceFile): readonly string[] =>
    file.lines.flatMap((line, index) => (pattern.test(line) ? [`${file.path}:${index + 1}: ${advice}`] : []))

const SOURCE = /^(src|test|bench|web)\/.*\.tsx?$/
const PURE = /^src\/(core|signatures|causes|audits|gates)\/(?!.*\.test\.ts$).*\.ts$/
const TEXT = /\.(ts|tsx|json|md|ya?ml|sh|sql|mjs|css|html)$|^(bin\/signalbox|\.ci\/run|Dockerfile)$/

/** Split, so that the rule does not match itself. */
const joined = (...parts: readonly string[]) => parts.join('')

const FORBIDDEN_COMPANIES = [joined('tui', 'st'), joined('glorious', 'flywheel'), joined('tin', 'land')]

export const TIDY_RULES: readonly TidyRule[] = [
  {
    title: 'files stay under 300 lines',
    applies: /^(src|test|bench|web)\/.*\.(ts|tsx|sh)$/,
    offends: (file) => (file.lines.length > 301 ? [`${file.path}: ${file.lines.length} lines; split it by idea`] : []),
    bad: { path: 'src/core/a.ts', text: 'x\n'.repeat(400) },
    good: { path: 'src/core/a.ts', text: 'x\n'.repeat(300) },
  },
  {
    title: 'file names say what the file holds',
    applies: SOURCE,
    offends: (file) =>
      /(^|\/|-)(utils?|helpers?|common|misc|stuff)(\/|\.|-)/.test(file.path)
        ? [`${file.path}: name it after the one thing it is`]
        : [],
    bad: { path: 'src/core/utils.ts', text: '' },
    good: { path: 'src/core/basics/duration.ts', text: '' },
  },
  {
    title: 'the environment is read in src/config/load.ts only',
    applies: /^src\/(?!config\/load\.ts$)(?!.*\.test\.ts$).*\.ts$/,
    offends: perLine(
      /\bprocess\.env\b|\benv\s*}\s*=\s*process\b/,
      'take it from the configuration (src/config/load.ts reads the environment)',
    ),
    bad: { path: 'src/cli/a.ts', text: joined('const x = process', ".env['A']") },
    good: { path: 'src/config/load.ts', text: '' },
  },
  {
    title: 'pure layers do not read the clock',
    applies: PURE,
    offends: perLine(/new Date\(\s*\)/, 'time is an argument in this layer'),
    bad: { path: 'src/core/a.ts', text: joined('const now = new Date', '()') },
    good: { path: 'src/core/a.ts', text: 'const at = new Date(0)' },
  },
  {
    title: 'no path of a machine is committed',
    applies: TEXT,
    offends: perLine(
      /(^|[\s'"`(=:])\/(work|farm|root|home\/(?!runner\/)\w+|Users\/\w+)\//,
      'no path of a machine; take a folder from the configuration',
    ),
    bad: { path: 'src/a.ts', text: joined("const x = '/wo", "rk/main'") },
    good: { path: 'src/a.ts', text: "const x = '/var/lib/signalbox'" },
  },
  {
    title: 'no host of a registry is committed',
    applies: /.*/,
    offends: perLine(
      /registry\.(npmjs|yarnpkg)\.(org|com)|proxy\.golang\.org|deb\.debian\.org/,
      'packages come by their ordinary clients; no host here',
    ),
    bad: { path: 'package-lock.json', text: joined('"resolved": "https://registry.', 'npmjs.org/x"') },
    good: { path: 'package-lock.json', text: '"version": "1.0.0"' },
  },
  {
    title: 'no name of a company is in the code',
    applies: SOURCE,
    offends: perLine(new RegExp(FORBIDDEN_COMPANIES.join('|'), 'i'), 'this product is for any company'),
    bad: { path: 'src/a.ts', text: FORBIDDEN_COMPANIES[0] ?? '' },
    good: { path: 'src/a.ts', text: 'acme' },
  },
  {
    title: 'no unfinished work is marked in the code',
    applies: SOURCE,
    offends: perLine(new RegExp(joined('\\b(TO', 'DO|FIX', 'ME|XX', 'X)\\b')), 'do it, or open an issue'),
    bad: { path: 'src/a.ts', text: joined('// TO', 'DO') },
    good: { path: 'src/a.ts', text: '// because' },
  },
  {
    title: 'no test is skipped, focused or left empty',
    applies: /\.test\.tsx?$/,
    offends: perLine(
      new RegExp(joined('\\b(it|test|describe)\\.(sk', 'ip|on', 'ly|to', 'do)\\b')),
      'a suite that cannot run here says so through the harness',
    ),
    bad: { path: 'src/a.test.ts', text: joined('it.sk', "ip('x')") },
    good: { path: 'src/a.test.ts', text: "it('x')" },
  },
  {
    title: 'a disabled lint rule gives its reason',
    applies: SOURCE,
    offends: (file) =>
      file.lines.flatMap((line, index) =>
        /oxlint-disable|eslint-disable|@ts-(ignore|expect-error|nocheck)/.test(line) && !/ -- \S+/.test(line)
          ? [`${file.path}:${index + 1}: say why after " -- "`]
          : [],
      ),
    bad: { path: 'src/a.ts', text: joined('// oxlint-', 'disable-next-line no-console') },
    good: {
      path: 'src/a.ts',
      text: joined('// oxlint-', 'disable-next-line no-console -- the cli is the one that prints'),
    },
  },
  {
    title: 'each recovery loop starts with its four answers',
    applies: /^src\/reconcilers\/(?!index\.ts$)(?!.*\.test\.ts$).*\.ts$/,
    offends: (file) =>
      ['Stuck:', 'Not caught elsewhere:', 'Proof:', 'Threshold:']
        .filter((answer) => !file.text.includes(answer))
        .map((answer) => `${file.path}: the header lacks "${answer}"`),
    bad: { path: 'src/reconcilers/stale-claims.ts', text: 'export const x = 1' },
    good: {
      path: 'src/reconcilers/stale-claims.ts',
      text: '/**\n * Stuck: a\n * Not caught elsewhere: b\n * Proof: c\n * Threshold: d\n */',
    },
  },
]
