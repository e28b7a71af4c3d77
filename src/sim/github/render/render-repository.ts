import { isoTime } from './answers.ts'
import { renderAccount } from './render-account.ts'
import type { Schema } from './schemas.ts'
import type { Urls } from './urls.ts'
import { nodeId } from './node-id.ts'
import type { Repository } from '#/sim/github/world/world-state.ts'

export function renderRepository(repository: Repository, urls: Urls) {
  const api = `${urls.api}/repos/${repository.fullName}`
  return {
    id: repository.id,
    node_id: nodeId('Repository', repository.id),
    name: repository.name,
    full_name: repository.fullName,
    private: repository.private,
    owner: renderAccount(repository.owner, urls),
    html_url: `${urls.web}/${repository.fullName}`,
    description: null,
    fork: false,
    url: api,
    archive_url: `${api}/{archive_format}{/ref}`,
    assignees_url: `${api}/assignees{/user}`,
    blobs_url: `${api}/git/blobs{/sha}`,
    branches_url: `${api}/branches{/branch}`,
    collaborators_url: `${api}/collaborators{/collaborator}`,
    comments_url: `${api}/comments{/number}`,
    commits_url: `${api}/commits{/sha}`,
    compare_url: `${api}/compare/{base}...{head}`,
    contents_url: `${api}/contents/{+path}`,
    contributors_url: `${api}/contributors`,
    deployments_url: `${api}/deployments`,
    downloads_url: `${api}/downloads`,
    events_url: `${api}/events`,
    forks_url: `${api}/forks`,
    git_commits_url: `${api}/git/commits{/sha}`,
    git_refs_url: `${api}/git/refs{/sha}`,
    git_tags_url: `${api}/git/tags{/sha}`,
    hooks_url: `${api}/hooks`,
    issue_comment_url: `${api}/issues/comments{/number}`,
    issue_events_url: `${api}/issues/events{/number}`,
    issues_url: `${api}/issues{/number}`,
    keys_url: `${api}/keys{/key_id}`,
    labels_url: `${api}/labels{/name}`,
    languages_url: `${api}/languages`,
    merges_url: `${api}/merges`,
    milestones_url: `${api}/milestones{/number}`,
    notifications_url: `${api}/notifications{?since,all,participating}`,
    pulls_url: `${api}/pulls{/number}`,
    releases_url: `${api}/releases{/id}`,
    stargazers_url: `${api}/stargazers`,
    statuses_url: `${api}/statuses/{sha}`,
    subscribers_url: `${api}/subscribers`,
    subscription_url: `${api}/subscription`,
    tags_url: `${api}/tags`,
    teams_url: `${api}/teams`,
    trees_url: `${api}/git/trees{/sha}`,
  } satisfies Schema<'minimal-repository'>
}

/** As lists of repositories, token answers and webhooks show it; runs name it with less. */
export function renderWholeRepository(repository: Repository, urls: Urls) {
  const web = `${urls.web}/${repository.fullName}`
  const at = isoTime(repository.createdAt)
  return {
    ...renderRepository(repository, urls),
    git_url: `git://${new URL(urls.web).host}/${repository.fullName}.git`,
    ssh_url: `git@${new URL(urls.web).hostname}:${repository.fullName}.git`,
    clone_url: `${web}.git`,
    svn_url: web,
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    created_at: at,
    updated_at: at,
    pushed_at: at,
    size: 0,
    stargazers_count: 0,
    watchers_count: 0,
    watchers: 0,
    forks_count: 0,
    forks: 0,
    open_issues_count: 0,
    open_issues: 0,
    has_issues: true,
    has_projects: true,
    has_downloads: true,
    has_wiki: true,
    has_pages: false,
    archived: repository.archived,
    disabled: false,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    default_branch: 'main',
    visibility: repository.private ? 'private' : 'public',
  } satisfies Schema<'repository'>
}

/** As the answer to the question for one repository. */
export function renderFullRepository(repository: Repository, urls: Urls) {
  return {
    ...renderWholeRepository(repository, urls),
    has_discussions: false,
    network_count: 0,
    subscribers_count: 0,
  } satisfies Schema<'full-repository'>
}
