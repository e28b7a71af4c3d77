import type { CredentialFormat } from './credential-format.ts'

/** Applications that teams work with. */
export const APPLICATIONS: readonly CredentialFormat[] = [
  {
    name: 'Linear key',
    shapes: ['lin_api_[A-Za-z0-9]{32,}', 'lin_oauth_[A-Za-z0-9]{32,}', 'lin_wh_[A-Za-z0-9]{32,}'],
    source: 'https://linear.app/developers/graphql',
  },
  {
    name: 'Notion token',
    shapes: ['ntn_[A-Za-z0-9]{40,}', 'secret_[A-Za-z0-9]{43}'],
    source: 'https://developers.notion.com/page/changelog',
  },
  {
    name: 'Figma token',
    shapes: ['figd_', 'figo_', 'figu_', 'figor_'].map((prefix) => `${prefix}[A-Za-z0-9_-]{36,}`),
    source: 'https://developers.figma.com/docs/rest-api/authentication/',
  },
  {
    name: 'Trello token',
    shapes: ['ATTA[a-f0-9]{64}'],
    source: 'https://developer.atlassian.com/cloud/trello/guides/rest-api/authorization/',
  },
  {
    name: 'Airtable token',
    shapes: [String.raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{64}`],
    isWord: true,
    source: 'https://airtable.com/developers/web/guides/personal-access-tokens',
  },
  {
    name: 'Postman key',
    shapes: ['PMAK-[a-f0-9]{24}-[a-f0-9]{34}'],
    source: 'https://learning.postman.com/docs/developer/postman-api/authentication/',
  },
  {
    name: 'HubSpot token',
    shapes: ['pat-na[0-9]{1}-[a-f0-9-]{36}', 'pat-eu[0-9]{1}-[a-f0-9-]{36}', 'pat-ap[0-9]{1}-[a-f0-9-]{36}'],
    source: 'https://developers.hubspot.com/docs/guides/apps/private-apps/overview',
  },
  {
    name: 'Dropbox token',
    shapes: [String.raw`sl\.u\.[A-Za-z0-9_-]{100,}`, String.raw`sl\.B[A-Za-z0-9_-]{100,}`],
    isWord: true,
    source: 'https://www.dropbox.com/developers/documentation/http/documentation',
  },
  {
    name: 'Contentful token',
    shapes: ['CFPAT-[A-Za-z0-9_-]{43}'],
    source: 'https://www.contentful.com/developers/docs/references/authentication/',
  },
  {
    name: 'Mapbox secret token',
    shapes: [String.raw`sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{16,}`],
    source: 'https://docs.mapbox.com/help/dive-deeper/access-tokens/',
  },
  {
    name: 'Facebook token',
    shapes: ['EAAC', 'EAAG', 'EAAJ', 'EAAL', 'EAAM', 'EAAB', 'EAAD', 'EAAF', 'EAAI'].map(
      (prefix) => `${prefix}[A-Za-z0-9]{80,}`,
    ),
    isWord: true,
    source: 'https://developers.facebook.com/docs/facebook-login/guides/access-tokens/',
  },
  {
    name: 'Typeform token',
    shapes: ['tfp_[A-Za-z0-9_]{40,}'],
    source: 'https://www.typeform.com/developers/get-started/personal-access-token/',
  },
  {
    name: 'ReadMe key',
    shapes: ['rdme_[a-z0-9]{60,}'],
    source: 'https://docs.readme.com/main/reference/intro/authentication',
  },
  {
    name: 'Frame.io token',
    shapes: ['fio-u-[A-Za-z0-9_=-]{60,}'],
    source: 'https://developer.adobe.com/frameio/guides/Authentication/',
  },
  {
    name: 'Prefect key',
    shapes: ['pnu_[A-Za-z0-9]{36}', 'pnb_[A-Za-z0-9]{36}'],
    source: 'https://docs.prefect.io/v3/how-to-guides/cloud/manage-users/api-keys',
  },
]
