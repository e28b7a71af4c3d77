import type { CredentialFormat } from './credential-format.ts'

/** Registries of images and packages. */
export const REGISTRIES: readonly CredentialFormat[] = [
  {
    name: 'npm token',
    shapes: ['npm_[A-Za-z0-9]{36}'],
    source: 'https://github.blog/changelog/2021-09-23-npm-has-a-new-access-token-format/',
  },
  {
    name: 'PyPI token',
    shapes: ['pypi-AgE[A-Za-z0-9_-]{32,}'],
    source: 'https://docs.pypi.org/api/secrets/',
  },
  {
    name: 'RubyGems key',
    shapes: ['rubygems_[a-f0-9]{48}'],
    source: 'https://guides.rubygems.org/api-key-scopes/',
  },
  {
    name: 'NuGet key',
    shapes: ['oy2[a-z0-9]{43}'],
    isWord: true,
    source: 'https://learn.microsoft.com/nuget/nuget-org/scoped-api-keys',
  },
  {
    name: 'crates.io token',
    shapes: ['cio[A-Za-z0-9]{32}'],
    isWord: true,
    source: 'https://doc.rust-lang.org/cargo/reference/publishing.html',
  },
  {
    name: 'Clojars token',
    shapes: ['CLOJARS_[a-f0-9]{60}'],
    source: 'https://github.com/clojars/clojars-web/wiki/Deploy-Tokens',
  },
  {
    name: 'Packagist token',
    shapes: ['ack', 'out', 'uut', 'org'].map((type) => `packagist_${type}_[a-f0-9]{40,}`),
    source: 'https://packagist.com/docs/composer-authentication',
  },
  {
    name: 'Docker Hub token: personal, organisation',
    shapes: ['dckr_pat_[A-Za-z0-9_-]{20,}', 'dckr_oat_[A-Za-z0-9_-]{20,}'],
    source: 'https://docs.docker.com/security/access-tokens/',
  },
  {
    name: 'JFrog key and reference token',
    shapes: ['AKCp[A-Za-z0-9]{60,}', 'cmVmdGtuO[A-Za-z0-9+/=]{40,}'],
    source: 'https://jfrog.com/help/r/jfrog-platform-administration-documentation/access-tokens',
  },
  {
    name: 'Nexus npm token',
    shapes: [String.raw`NpmToken\.[a-f0-9-]{32,}`],
    source: 'https://help.sonatype.com/en/npm-security.html',
  },
]
