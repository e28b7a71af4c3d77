/** What is wrong with the format of a host file; null if it is complete. Half a table looks like a whole one. */
export function hostFileFault(name: string, text: string): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return 'it is empty'
  return FAULTS[name]?.(lines) ?? null
}

type Fault = (lines: readonly string[]) => string | null

const oneNumber: Fault = (lines) =>
  lines.length === 1 && /^\s*\d+\s*$/.test(lines[0] ?? '') ? null : 'it is not one number'

const FAULTS: Readonly<Record<string, Fault>> = {
  'proc/sys/fs/file-nr': ([line = '']) => (/^\s*\d+\s+\d+\s+\d+\s*$/.test(line) ? null : 'it is not three numbers'),
  'proc/sys/fs/file-max': oneNumber,
  'proc/sys/fs/nr_open': oneNumber,
  'proc/cgroups': (lines) => {
    const rows = lines.filter((line) => !line.startsWith('#'))
    if (rows.length === 0) return 'it has no rows'
    return rows.every((row) => /^\S+\s+\d+\s+\d+\s+\d+\s*$/.test(row)) ? null : 'a row does not have four columns'
  },
  'free-m': (lines) => {
    const rows = lines.filter((line) => /^\w+:/.test(line))
    if (!rows.some((row) => row.startsWith('Mem:'))) return 'it has no memory row'
    return rows.every((row) => /^\w+:(?:\s+\d+){3}/.test(row)) ? null : 'a row lacks columns'
  },
}
