import { all, buildKeys, maps, table, tables } from './key-shape.ts'
import type { KeyShape, KnownKeys } from './key-shape.ts'
import { KUBERNETES_KEYS, service } from './kubernetes-keys.ts'

/**
 * config.toml of GitLab Runner 17 and 18, as the structs in its common/config.go have it.
 * https://docs.gitlab.com/runner/configuration/advanced-configuration/
 */
const docker = table(
  all(
    'text',
    `host tls_cert_path hostname image runtime memory memory_swap memory_reservation cgroup_parent cpuset_cpus cpuset_mems
     cpus user userns_mode gpus volume_driver cache_dir network_mode ipcmode mac_address service_memory
     service_memory_swap service_memory_reservation service_cgroup_parent service_slot_cgroup_template
     service_cpuset_cpus service_cpus service_gpus isolation helper_image helper_image_flavor`,
  ),
  all(
    'flag',
    'tls_verify privileged services_privileged disable_entrypoint_overwrite oom_kill_disable disable_cache enable_ipv6',
  ),
  all(
    'whole number',
    'cpu_shares oom_score_adjust services_limit service_cpu_shares wait_for_services_timeout shm_size network_mtu',
  ),
  all(
    'texts',
    `dns dns_search allowed_users group_add cap_add cap_drop security_opt services_security_opt devices
     device_cgroup_rules volumes extra_hosts volumes_from links allowed_images allowed_privileged_images
     allowed_privileged_services allowed_pull_policies allowed_services`,
  ),
  all('any', 'pull_policy'),
  maps('text', 'volume_driver_ops tmpfs services_tmpfs sysctls container_labels ulimit log_options'),
  maps('any', 'services_devices'),
  { services: service },
)

const period = all('texts', 'Periods')

const machine = table(
  all('whole number', 'MaxGrowthRate IdleCount IdleCountMin IdleTime MaxBuilds OffPeakIdleCount OffPeakIdleTime'),
  all('number', 'IdleScaleFactor'),
  all('text', 'MachineDriver MachineName OffPeakTimezone'),
  all('texts', 'MachineOptions MachineOptionsWithName OffPeakPeriods'),
  {
    autoscaling: tables(
      period,
      all('text', 'Timezone'),
      all('whole number', 'IdleCount IdleCountMin IdleTime'),
      all('number', 'IdleScaleFactor'),
    ),
  },
)

const connector = table(
  all('text', 'os arch protocol username password key_path'),
  all('whole number', 'protocol_port'),
  all('flag', 'use_static_credentials use_external_addr'),
  all('any', 'keepalive timeout'),
)

const autoscaler = table(
  all('whole number', 'capacity_per_instance max_use_count max_instances shutdown_deletion_retries failure_threshold'),
  all('text', 'plugin instance_ready_command'),
  all('flag', 'reservation_throttling log_internal_ip log_external_ip delete_instances_on_shutdown'),
  all(
    'any',
    `instance_acquire_timeout update_interval update_interval_when_expecting deletion_retry_interval
     shutdown_deletion_interval instance_operation_time_buckets instance_creation_time_buckets
     instance_is_running_time_buckets instance_deletion_time_buckets instance_readiness_time_buckets
     instance_life_duration_buckets`,
  ),
  maps('any', 'plugin_config'),
  {
    connector_config: connector,
    policy: tables(
      period,
      all('text', 'timezone'),
      all('whole number', 'idle_count scale_factor_limit'),
      all('number', 'scale_factor'),
      all('flag', 'preemptive_mode'),
      all('any', 'idle_time'),
    ),
    scale_throttle: table(all('whole number', 'limit burst')),
    vm_isolation: table(all('flag', 'enabled'), all('text', 'nesting_host image'), maps('any', 'nesting_config'), {
      connector_config: connector,
    }),
    state_storage: table(all('flag', 'enabled keep_instance_with_acquisitions'), all('text', 'dir')),
  },
)

const cache = table(all('text', 'Type Path'), all('flag', 'Shared'), all('whole number', 'MaxUploadedArchiveSize'), {
  s3: table(
    all(
      'text',
      `ServerAddress AccessKey SecretKey SessionToken BucketName BucketLocation AuthenticationType
         ServerSideEncryption ServerSideEncryptionKeyID RoleARN UploadRoleARN`,
    ),
    all('flag', 'Insecure DualStack PathStyle Accelerate'),
  ),
  gcs: table(all('text', 'AccessID PrivateKey CredentialsFile BucketName UniverseDomain')),
  azure: table(all('text', 'AccountName AccountKey ContainerName StorageDomain')),
})

const custom = table(
  all('text', 'config_exec prepare_exec run_exec cleanup_exec'),
  all('texts', 'config_args prepare_args run_args cleanup_args'),
  all(
    'whole number',
    'config_exec_timeout prepare_exec_timeout cleanup_exec_timeout graceful_kill_timeout force_kill_timeout',
  ),
)

const runner: KeyShape = tables(
  all(
    'text',
    `name url token tls-ca-file tls-cert-file tls-key-file executor builds_dir cache_dir clone_url
     pre_get_sources_script post_get_sources_script pre_build_script post_build_script shell slot_cgroup_template
     step_runner_image`,
  ),
  all(
    'whole number',
    'id limit output_limit request_concurrency unhealthy_requests_limit job_status_final_update_retry_limit',
  ),
  all(
    'flag',
    `strict_check_interval proxy_exec debug_trace_disabled safe_directory_checkout clean_git_config use_slot_cgroups`,
  ),
  all('texts', 'environment'),
  all('any', 'token_obtained_at token_expires_at unhealthy_interval'),
  maps('flag', 'feature_flags'),
  maps('text', 'labels'),
  {
    custom_build_dir: table(all('flag', 'enabled')),
    referees: table({
      metrics: table(all('text', 'prometheus_address'), all('whole number', 'query_interval'), all('texts', 'queries')),
    }),
    monitoring: table({
      job_queuing_durations: tables(period, all('text', 'timezone jobs_running_for_project'), all('any', 'threshold')),
    }),
    cache,
    instance: table(all('texts', 'allowed_images'), all('flag', 'use_common_build_dir')),
    ssh: table(
      all('text', 'user password host port identity_file known_hosts_file'),
      all('flag', 'disable_strict_host_key_checking'),
    ),
    docker,
    parallels: table(
      all('text', 'base_name template_name time_server'),
      all('flag', 'disable_snapshots'),
      all('texts', 'allowed_images'),
    ),
    virtualbox: table(
      all('text', 'base_name base_snapshot base_folder start_type'),
      all('flag', 'disable_snapshots'),
      all('texts', 'allowed_images'),
    ),
    machine,
    kubernetes: { kind: 'table', keys: KUBERNETES_KEYS },
    custom,
    autoscaler,
  },
)

export const KNOWN_KEYS: KnownKeys = buildKeys(
  all('whole number', 'concurrent check_interval shutdown_timeout'),
  all('text', 'listen_address log_level log_format user sentry_dsn'),
  all('any', 'connection_max_age'),
  maps('text', 'labels'),
  {
    session_server: table(all('text', 'listen_address advertise_address'), all('whole number', 'session_timeout')),
    experimental: table({
      usage_logger: table(
        all('flag', 'enabled'),
        all('text', 'log_dir'),
        all('whole number', 'max_backup_files'),
        all('any', 'max_rotation_age'),
        maps('text', 'labels'),
      ),
    }),
    runners: runner,
  },
)

/** Keys of older runners and their replacements. Version 17 silently ignores them. */
export const REMOVED_KEYS: ReadonlyMap<string, string> = new Map([
  ['terminationgraceperiodseconds', 'pod_termination_grace_period_seconds and cleanup_grace_period_seconds'],
  ['pre_clone_script', 'pre_get_sources_script'],
  ['post_clone_script', 'post_get_sources_script'],
])
