/** A program or library inside the packages that carry PostgreSQL, which npm cannot see. */
export type BundledComponent = {
  readonly name: string
  readonly version: string
  /** An SPDX id, or null where there is none; then `licenceName` names it. */
  readonly licence: string | null
  readonly licenceName?: string
  /** Where a file of the package says the version, so that a test can compare. */
  readonly proof: { readonly file: string; readonly text: string }
}

type Platform = 'linux' | 'darwin'

/** As the files of 18.4.0-beta.17 say it themselves; both processors of a platform have the same. */
export const BUNDLED_POSTGRESQL: Readonly<Record<Platform, readonly BundledComponent[]>> = {
  linux: [
    component('PostgreSQL', '18.4', 'PostgreSQL', { file: 'bin/postgres', text: 'postgres (PostgreSQL) 18.4' }),
    component('OpenSSL', '1.1.1', 'OpenSSL', { file: 'lib/libcrypto.so.1.1', text: 'OpenSSL 1.1.1  11 Sep 2018' }),
    component('libxml2', '2.9.4', 'MIT', { file: 'lib/libxml2.so.2', text: '20904' }),
    component('libxslt', '1.1.29', 'MIT', { file: 'lib/libxslt.so.1', text: '10129' }),
    component('ICU', '60.2', 'ICU', { file: 'lib/libicuuc.so.60.2', text: '60.2' }),
    component('zlib', '1.2.11', 'Zlib', { file: 'lib/libz.so.1', text: 'deflate 1.2.11' }),
    {
      ...component('liblzma', '5.2.2', null, { file: 'lib/liblzma.so.5', text: '5.2.2' }),
      licenceName: 'Public domain (XZ Utils)',
    },
    {
      ...component('OSSP uuid', '1.6.2', null, { file: 'lib/libossp-uuid.so.16', text: 'OSSP uuid 1.6.2' }),
      licenceName: 'OSSP uuid licence (MIT-like)',
    },
  ],
  darwin: [
    component('PostgreSQL', '18.4', 'PostgreSQL', { file: 'bin/postgres', text: 'postgres (PostgreSQL) 18.4' }),
    component('OpenSSL', '3.5.6', 'Apache-2.0', { file: 'lib/libcrypto.3.dylib', text: 'OpenSSL 3.5.6 7 Apr 2026' }),
    component('libxml2', '2.15.3', 'MIT', { file: 'lib/libxml2.16.dylib', text: '21503' }),
    component('ICU', '77.1', 'Unicode-3.0', { file: 'lib/libicuuc.77.1.dylib', text: '77' }),
    component('zlib', '1.3.2', 'Zlib', { file: 'lib/libz.1.3.2.dylib', text: 'deflate 1.3.2' }),
    component('lz4', '1.10.0', 'BSD-2-Clause', { file: 'lib/liblz4.1.10.0.dylib', text: '1.10.0' }),
    component('zstd', '1.5.7', 'BSD-3-Clause', { file: 'lib/libzstd.1.5.7.dylib', text: '1.5.7' }),
    component('MIT Kerberos', '1.22.2', 'MIT', { file: 'lib/libkrb5.3.3.dylib', text: 'krb5-1.22.2-final' }),
    component('libedit', 'unknown', 'BSD-3-Clause', { file: 'lib/libedit.0.dylib', text: '' }),
    component('libiconv', 'unknown', 'LGPL-2.1-or-later', { file: 'lib/libiconv.2.dylib', text: '' }),
    component('libintl', 'unknown', 'LGPL-2.1-or-later', { file: 'lib/libintl.8.dylib', text: '' }),
  ],
}

function component(
  name: string,
  version: string,
  licence: string | null,
  proof: BundledComponent['proof'],
): BundledComponent {
  return { name, version, licence, proof }
}
