import type { Format } from './format.ts'

/** Applications that teams work with. */
export const APPLICATIONS: readonly Format[] = [
  { name: 'Linear key', variable: 'LINEAR_API_KEY', build: (draw) => `lin_api_${draw.alnum(40)}` },
  { name: 'Notion token', variable: 'NOTION_TOKEN', build: (draw) => `ntn_${draw.alnum(46)}` },
  { name: 'Notion token (old)', variable: 'NOTION_TOKEN', build: (draw) => `secret_${draw.alnum(43)}` },
  { name: 'Figma token', variable: 'FIGMA_TOKEN', build: (draw) => `figd_${draw.url(40)}` },
  {
    name: 'Atlassian token',
    variable: 'JIRA_API_TOKEN',
    build: (draw) => `ATATT3xFfGF0${draw.url(170)}=${draw.upper(8)}`,
  },
  { name: 'Trello token', variable: 'TRELLO_TOKEN', build: (draw) => `ATTA${draw.hex(64)}` },
  {
    name: 'Asana token',
    variable: 'ASANA_TOKEN',
    build: (draw) => `2/${draw.digits(16)}/${draw.digits(16)}:${draw.hex(32)}`,
  },
  { name: 'Airtable token', variable: 'AIRTABLE_TOKEN', build: (draw) => `pat${draw.alnum(14)}.${draw.hex(64)}` },
  { name: 'Postman key', variable: 'POSTMAN_API_KEY', build: (draw) => `PMAK-${draw.hex(24)}-${draw.hex(34)}` },
  { name: 'HubSpot token', variable: 'HUBSPOT_TOKEN', build: (draw) => `pat-na1-${draw.uuid()}` },
  { name: 'Dropbox token', variable: 'DROPBOX_TOKEN', build: (draw) => `sl.u.${draw.url(140)}` },
  { name: 'Contentful token', variable: 'CONTENTFUL_TOKEN', build: (draw) => `CFPAT-${draw.url(43)}` },
  {
    name: 'Mapbox secret token',
    variable: 'MAPBOX_TOKEN',
    build: (draw) => `sk.eyJ1Ijoi${draw.alnum(60)}.${draw.url(22)}`,
  },
  { name: 'Algolia admin key', variable: 'ALGOLIA_ADMIN_KEY', build: (draw) => draw.hex(32), isShapeless: true },
  { name: 'Facebook token', variable: 'FB_TOKEN', build: (draw) => `EAAG${draw.alnum(170)}` },
  { name: 'Typeform token', variable: 'TYPEFORM_TOKEN', build: (draw) => `tfp_${draw.alnum(43)}_${draw.alnum(12)}` },
  { name: 'ReadMe key', variable: 'README_API_KEY', build: (draw) => `rdme_${draw.lower(70)}` },
  { name: 'Frame.io token', variable: 'FRAMEIO_TOKEN', build: (draw) => `fio-u-${draw.url(64)}` },
  { name: 'Prefect key', variable: 'PREFECT_API_KEY', build: (draw) => `pnu_${draw.alnum(36)}` },
  {
    name: 'ngrok token',
    variable: 'NGROK_AUTHTOKEN',
    build: (draw) => `2${draw.alnum(26)}_${draw.alnum(21)}`,
    isShapeless: true,
  },
]
