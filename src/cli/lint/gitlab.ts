import { resolve } from 'node:path'
import { gitlab } from '#/audits/gitlab/audit.ts'
import { findingToJson } from '#/cli/audit/render-audit.ts'
import { subjectName } from '#/cli/audit/report-section.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { lintGitLabFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { toSarif } from './sarif.ts'
import type { Output } from '#/cli/output/print-output.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import { lintGitLabConfig } from '#/audits/gitlab/lint-config.ts'
import { isAbove } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { LARGEST_TOML } from '#/core/toml/parse-toml.ts'

export async function run({ args, flags, terminal }: CommandContext<typeof lintGitLabFlags>): Promise<ExitCode> {
  const path = args[0] ?? ''
  const file = await readSmallFile(resolve(path), LARGEST_TOML)
  if (file.kind !== 'read') {
    const why = file.kind === 'absent' ? 'no such file' : `it ${file.why}`
    throw new CommandFailure(EXIT.blind, `cannot read the configuration: ${printable(path)}: ${why}`, [
      'use the config.toml of a GitLab Runner',
    ])
  }
  const findings = lintGitLabConfig(file.text, path)
  if (flags.output === 'sarif') terminal.data(`${JSON.stringify(toSarif(path, findings, gitlab.classes), null, 2)}\n`)
  else await printOutput(terminal, flags.output, renderFindings(path, findings))
  return findings.some(({ severity }) => isAbove(severity, 'info')) ? EXIT.failed : EXIT.ok
}

function renderFindings(path: string, findings: readonly Finding[]): Output {
  const shown = findings.map(findingToJson)
  const lines = shown.map(({ class: name, severity, subject, evidence, hint }) => {
    const place = subjectName(subject).replace(/^File /, '')
    return printable(`${place}: ${severity}: ${name}: ${evidence.join('; ')}; ${hint}`)
  })
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`
  return {
    data: { file: path, findings: shown },
    sections: [
      ...(lines.length === 0 ? [] : [{ text: lines.join('\n') }]),
      { text: findings.length === 0 ? `${printable(path)}: no findings` : count },
    ],
  }
}
