import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { createSbom, listLicences } from './sbom.ts'

/** `npm run release:sbom`: dist/sbom.cdx.json and dist/LICENCES.txt. `npm pack` writes the same into the package. */
const root = path.resolve(import.meta.dirname, '..', '..')
const dist = path.join(root, 'dist')
const sbom = await createSbom(root)
mkdirSync(dist, { recursive: true })
writeFileSync(path.join(dist, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`)
writeFileSync(path.join(dist, 'LICENCES.txt'), listLicences(sbom))
process.stdout.write(`dist/sbom.cdx.json: ${sbom.components.length} packages; dist/LICENCES.txt\n`)
