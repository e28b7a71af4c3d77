import { all, buildKeys, maps, table, tables } from './key-shape.ts'
import type { KnownKeys } from './key-shape.ts'

/**
 * `[runners.kubernetes]` of GitLab Runner 17 and 18, as the struct KubernetesConfig in its common/config.go has it.
 * https://docs.gitlab.com/runner/executors/kubernetes/
 */
const CONTAINERS = ['', 'service_', 'helper_'] as const
const RESOURCES = ['cpu', 'memory', 'ephemeral_storage'] as const
const BOUNDS = ['limit', 'request'] as const

/** Resources are flat keys: `cpu_limit`, `helper_memory_request`. */
export const RESOURCE_KEYS: ReadonlySet<string> = new Set(
  CONTAINERS.flatMap((container) =>
    RESOURCES.flatMap((resource) =>
      BOUNDS.flatMap((bound) => [
        `${container}${resource}_${bound}`,
        `${container}${resource}_${bound}_overwrite_max_allowed`,
      ]),
    ),
  ),
)

const TEXTS = `
  host context cert_file key_file ca_file bearer_token image namespace namespace_overwrite_allowed runtime_class_name
  node_selector_overwrite_allowed node_tolerations_overwrite_allowed helper_image helper_image_flavor
  pod_labels_overwrite_allowed scheduler_name service_account service_account_overwrite_allowed
  pod_annotations_overwrite_allowed dns_policy priority_class_name logs_base_dir scripts_base_dir`

const FLAGS = `
  bearer_token_overwrite_allowed namespace_per_job privileged allow_privilege_escalation
  use_service_account_image_pull_secrets helper_image_autoset_arch_and_os automount_service_account_token
  print_pod_warning_events`

const NUMBERS = `
  pod_termination_grace_period_seconds cleanup_grace_period_seconds poll_interval poll_timeout
  resource_availability_check_max_attempts retry_limit retry_backoff_max`

const LISTS = `
  allowed_images allowed_pull_policies allowed_services allowed_users allowed_groups image_pull_secrets cap_add cap_drop`

const volume = all('text', 'name mount_path sub_path')
const readOnly = all('flag', 'read_only')

const volumes = table({
  host_path: tables(volume, readOnly, all('text', 'host_path mount_propagation')),
  pvc: tables(volume, readOnly, all('text', 'mount_propagation')),
  config_map: tables(volume, readOnly, maps('text', 'items')),
  secret: tables(volume, readOnly, maps('text', 'items')),
  empty_dir: tables(volume, all('text', 'medium size_limit')),
  csi: tables(volume, readOnly, all('text', 'driver fs_type'), maps('text', 'volume_attributes')),
})

const podSecurity = table(
  all('whole number', 'fs_group run_as_group run_as_user'),
  all('flag', 'run_as_non_root'),
  all('any', 'supplemental_groups'),
  all('text', 'selinux_type'),
)

const containerSecurity = table(
  { capabilities: table(all('texts', 'add drop')) },
  all('flag', 'privileged run_as_non_root read_only_root_filesystem allow_privilege_escalation'),
  all('whole number', 'run_as_user run_as_group'),
  all('text', 'selinux_type proc_mount'),
)

const requirement = tables(all('text', 'key operator'), all('texts', 'values'))
const nodeTerm = { match_expressions: requirement, match_fields: requirement }
const labels = table({ match_expressions: requirement }, maps('text', 'match_labels'))
const podTerm = {
  label_selector: labels,
  namespace_selector: labels,
  ...all('texts', 'namespaces'),
  ...all('text', 'topology_key'),
}
const podAffinity = table({
  required_during_scheduling_ignored_during_execution: tables(podTerm),
  preferred_during_scheduling_ignored_during_execution: tables(all('whole number', 'weight'), {
    pod_affinity_term: table(podTerm),
  }),
})

const affinity = table({
  node_affinity: table({
    required_during_scheduling_ignored_during_execution: table({ node_selector_terms: tables(nodeTerm) }),
    preferred_during_scheduling_ignored_during_execution: tables(all('whole number', 'weight'), {
      preference: table(nodeTerm),
    }),
  }),
  pod_affinity: podAffinity,
  pod_anti_affinity: podAffinity,
})

const hook = table({
  exec: table(all('texts', 'command')),
  http_get: table(all('text', 'host path scheme'), all('whole number', 'port'), {
    http_headers: tables(all('text', 'name value')),
  }),
  tcp_socket: table(all('text', 'host'), all('whole number', 'port')),
})

export const service = tables(all('text', 'name alias'), all('texts', 'command entrypoint environment'))

export const KUBERNETES_KEYS: KnownKeys = buildKeys(
  all('text', TEXTS),
  all('text', [...RESOURCE_KEYS].join(' ')),
  all('flag', FLAGS),
  all('whole number', NUMBERS),
  all('texts', LISTS),
  // One text, or a list of them; a number of nanoseconds, or a text like 5m.
  all('any', 'pull_policy cleanup_resources_timeout'),
  maps('text', 'node_selector node_tolerations pod_labels pod_annotations'),
  maps('whole number', 'retry_limits'),
  {
    affinity,
    volumes,
    pod_security_context: podSecurity,
    init_permissions_container_security_context: containerSecurity,
    build_container_security_context: containerSecurity,
    helper_container_security_context: containerSecurity,
    service_container_security_context: containerSecurity,
    host_aliases: tables(all('text', 'ip'), all('texts', 'hostnames')),
    services: service,
    dns_config: table(all('texts', 'nameservers searches'), { options: tables(all('text', 'name value')) }),
    container_lifecycle: table({ post_start: hook, pre_stop: hook }),
    pod_spec: tables(all('text', 'name patch_path patch patch_type')),
  },
)
