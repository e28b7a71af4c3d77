import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { build } from './build.ts'
import { publishedManifest } from './manifest.ts'
import type { Manifest } from './manifest.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const manifest = path.join(root, 'package.json')
const kept = path.join(root, 'package.json.unpacked')

// An earlier pack that was killed left the checkout's manifest aside: that one is the truth.
if (existsSync(kept)) renameSync(kept, manifest)

await build(root)
await import('./write-sbom.ts')
const original = readFileSync(manifest, 'utf8')
writeFileSync(kept, original)
writeFileSync(manifest, `${JSON.stringify(publishedManifest(JSON.parse(original) as Manifest), null, 2)}\n`)
