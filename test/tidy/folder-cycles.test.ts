import { describe, expect, it } from 'vitest'
import { folderCycles } from './folder-cycles.ts'
import { sourceFiles } from './source-files.ts'

const sources = sourceFiles(/^src\/.*\.ts$/).filter(({ path }) => !path.endsWith('.test.ts'))

describe('the folders of the sources', () => {
  it('have no import cycles', () => {
    expect(sources.length).toBeGreaterThan(500)
    expect(folderCycles(sources)).toEqual([])
  })

  it('fail with the imports that close a cycle', () => {
    const cycle = [
      { path: 'src/a/one.ts', text: "import { two } from '#/b/two.ts'\n" },
      { path: 'src/b/two.ts', text: "import type { Three } from './c/three.ts'\n" },
      { path: 'src/b/c/three.ts', text: "const { one } = await import('#/a/one.ts')\n" },
    ]
    const aside = { path: 'src/d/four.ts', text: "import { one } from '#/a/one.ts'\nimport './five.ts'\n" }
    expect(folderCycles([...cycle, aside])).toEqual([
      { from: 'src/a', to: 'src/b', because: 'src/a/one.ts imports src/b/two.ts' },
      { from: 'src/b', to: 'src/b/c', because: 'src/b/two.ts imports src/b/c/three.ts' },
      { from: 'src/b/c', to: 'src/a', because: 'src/b/c/three.ts imports src/a/one.ts' },
    ])
    expect(folderCycles([...cycle.slice(0, 2), aside])).toEqual([])
  })
})
