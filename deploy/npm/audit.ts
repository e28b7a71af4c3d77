import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

import { judgeAudit } from './judge-audit.ts'

/** `npm run release:audit`: known vulnerabilities of what is delivered, where the registry answers that question. */
const root = path.resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const output = await run('npm', ['audit', '--omit', 'dev', '--json'], { cwd: root }).then(
  ({ stdout }) => stdout,
  // npm fails both when it finds something and when it cannot ask.
  (error: unknown) => (error as { readonly stdout?: string }).stdout ?? '',
)
const { line, ok } = judgeAudit(output)
process.stderr.write(`${line}\n`)
process.exitCode = ok ? 0 : 1
