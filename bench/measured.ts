/** One line of a report: what was measured, its value, and how it compares. */
export type Row = { readonly what: string; readonly value: string; readonly note: string }

export type Section = { readonly title: string; readonly rows: readonly Row[] }

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export function printSection({ title, rows }: Section): void {
  const wide = Math.max(...rows.map((row) => row.what.length))
  const number = Math.max(...rows.map((row) => row.value.length))
  console.log(`\n${title}`)
  for (const { what, value, note } of rows) console.log(`  ${what.padEnd(wide)}  ${value.padStart(number)}  ${note}`)
}
