import { encode } from './format.ts'
import type { Format } from './format.ts'

/** Registries of images and packages. */
export const REGISTRIES: readonly Format[] = [
  { name: 'npm token', variable: 'NPM_TOKEN', build: (draw) => `npm_${draw.alnum(36)}` },
  { name: 'npm token (old)', variable: 'NPM_TOKEN', build: (draw) => draw.uuid(), isShapeless: true },
  { name: 'PyPI token', variable: 'TWINE_PASSWORD', build: (draw) => `pypi-AgEIcHlwaS5vcmc${draw.url(140)}` },
  {
    name: 'TestPyPI token',
    variable: 'TWINE_PASSWORD',
    build: (draw) => `pypi-AgENdGVzdC5weXBpLm9yZw${draw.url(140)}`,
  },
  { name: 'RubyGems key', variable: 'GEM_HOST_API_KEY', build: (draw) => `rubygems_${draw.hex(48)}` },
  { name: 'NuGet key', variable: 'NUGET_API_KEY', build: (draw) => `oy2${draw.lower(43)}` },
  { name: 'crates.io token', variable: 'CARGO_REGISTRY_TOKEN', build: (draw) => `cio${draw.alnum(32)}` },
  { name: 'Clojars token', variable: 'CLOJARS_TOKEN', build: (draw) => `CLOJARS_${draw.hex(60)}` },
  { name: 'Packagist token', variable: 'PACKAGIST_TOKEN', build: (draw) => `packagist_ack_${draw.hex(64)}` },
  { name: 'Sonatype password', variable: 'OSSRH_PASSWORD', build: (draw) => draw.url(44), isShapeless: true },
  { name: 'Docker Hub token', variable: 'DOCKERHUB_TOKEN', build: (draw) => `dckr_pat_${draw.url(27)}` },
  { name: 'Docker Hub organisation token', variable: 'DOCKERHUB_TOKEN', build: (draw) => `dckr_oat_${draw.url(32)}` },
  { name: 'JFrog key', variable: 'ARTIFACTORY_API_KEY', build: (draw) => `AKCp${draw.alnum(69)}` },
  {
    name: 'JFrog reference token',
    variable: 'JF_ACCESS_TOKEN',
    build: (draw) => encode(`reftkn:01:1767225600:${draw.alnum(27)}`),
  },
  { name: 'Quay robot', variable: 'QUAY_PASSWORD', build: (draw) => draw.upper(64), isShapeless: true },
  { name: 'Nexus npm token', variable: 'NEXUS_TOKEN', build: (draw) => `NpmToken.${draw.uuid()}` },
  {
    name: 'registry login',
    variable: 'DOCKER_AUTH_CONFIG',
    build: (draw) => `{"auths":{"registry.example.com":{"auth":"${encode(`robot:${draw.alnum(24)}`)}"}}}`,
  },
  { name: 'Anaconda token', variable: 'ANACONDA_API_TOKEN', build: (draw) => `an-${draw.uuid()}`, isShapeless: true },
]
