import { describe, expect, it } from 'vitest'
import { findPool, runnerLabels } from './find-pool.ts'
import { declarePool } from './declared-pools.ts'

const linux = declarePool('linux', { labels: ['linux-4x16', 'linux'] })
const gpu = declarePool('gpu', { labels: ['linux-4x16', 'linux', 'gpu'] })
const twin = declarePool('twin', { labels: ['Linux', 'LINUX-4X16'] })
const other = declarePool('other', { labels: ['linux'], github: { owner: 'initech' } })
const everywhere = declarePool('everywhere', {
  labels: ['arm'],
  github: { scope: 'organization', owner: 'acme', repositories: [] },
})

describe('findPool', () => {
  it.each([
    ['all labels of the job are among those of the pool', ['linux', 'linux-4x16'], 'linux'],
    ['one of the labels is enough', ['linux'], 'linux'],
    ['case does not matter', ['LINUX'], 'linux'],
    ['self-hosted is implied', ['self-hosted', 'linux'], 'linux'],
    ['a job that asks for more goes where it is', ['linux', 'gpu'], 'gpu'],
    ['an organisation serves each of its repositories', ['arm'], 'everywhere'],
  ])('%s', (_title, labels, name) => {
    const match = findPool({ repository: 'Acme/App', labels }, [gpu, linux, other, everywhere])
    expect(match).toMatchObject({ kind: 'pool', pool: { name } })
  })

  it('names the pool that has a part of the labels, and what it lacks', () => {
    const match = findPool({ repository: 'acme/app', labels: ['linux', 'gpu', 'xl'] }, [linux, gpu])
    expect(match).toMatchObject({ kind: 'no-pool', nearest: { pool: { name: 'gpu' }, lacks: ['xl'] } })
  })

  it.each([
    ['no label is known', 'acme/app', ['windows']],
    ['the repository is not served', 'acme/secret', ['linux']],
    ['the owner is another', 'umbrella/app', ['linux']],
  ])('finds none where %s', (_title, repository, labels) => {
    expect(findPool({ repository, labels }, [linux, gpu])).toEqual({ kind: 'no-pool', nearest: null })
  })

  it('does not choose between two pools that fit equally well', () => {
    const match = findPool({ repository: 'acme/app', labels: ['linux'] }, [linux, twin, gpu])
    expect(match.kind === 'ambiguous-pool' && match.pools.map(({ name }) => name)).toEqual(['linux', 'twin'])
  })
})

it.each([
  [['linux'], ['self-hosted', 'linux']],
  [
    ['Self-Hosted', 'linux'],
    ['Self-Hosted', 'linux'],
  ],
])('a runner of a pool with the labels %j is registered with %j', (labels, expected) => {
  expect(runnerLabels({ labels })).toEqual(expected)
})
