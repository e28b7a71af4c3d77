import type { Chance } from '#test/bundles/mutate-chance.ts'

/** One line of a tool, with new hashes, ids, names and numbers each time. */
export type CiLine = (chance: Chance) => string

const HEX = '0123456789abcdef'
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const NAME = 'bcdfghjklmnpqrstvwxz2456789'

function draw(chance: Chance, length: number, letters: string): string {
  return Array.from({ length }, () => letters.charAt(chance.int(letters.length))).join('')
}

const hex = (chance: Chance, length: number): string => draw(chance, length, HEX)
const uuid = (chance: Chance): string => [8, 4, 4, 4, 12].map((length) => hex(chance, length)).join('-')
const base64 = (chance: Chance, length: number): string => draw(chance, length, BASE64)
const pod = (chance: Chance): string => `arc-linux-${draw(chance, 5, NAME)}-runner-${draw(chance, 5, NAME)}`
const number = (chance: Chance, below: number): number => chance.int(below)
const stamp = (chance: Chance): string =>
  `2026-11-1${number(chance, 10)}T0${number(chance, 10)}:${10 + number(chance, 50)}:${10 + number(chance, 50)}.${draw(chance, 7, '0123456789')}Z`

/** What hashes, digests, ids and the words "key", "token" and "secret" look like where nothing is secret. */
export const CI_LINES: readonly CiLine[] = [
  (c) =>
    `npm http fetch GET 200 https://packages.example.com/lodash/-/lodash-4.17.${number(c, 99)}.tgz ${number(c, 999)}ms (cache hit)`,
  (c) => `      "integrity": "sha512-${base64(c, 86)}==",`,
  (c) => `    resolution: {integrity: sha512-${base64(c, 86)}==}`,
  (c) => `  checksum: 10c0/${hex(c, 128)}`,
  (c) => `golang.org/x/net v0.${number(c, 50)}.0 h1:${base64(c, 43)}=`,
  (c) => `    --hash=sha256:${hex(c, 64)} \\`,
  (c) => `name = "serde"\nversion = "1.0.${number(c, 200)}"\nchecksum = "${hex(c, 64)}"`,
  (c) => `#${number(c, 40)} [build ${number(c, 9)}/9] RUN --mount=type=secret,id=npm npm ci`,
  (c) => `#${number(c, 40)} sha256:${hex(c, 64)} 3.42MB / 9.12MB 0.3s`,
  (c) => `${hex(c, 12)}: Pull complete`,
  (c) => `Digest: sha256:${hex(c, 64)}`,
  (c) => `Status: Downloaded newer image for registry.example.com/base@sha256:${hex(c, 64)}`,
  (c) => `${stamp(c)} Cache restored from key: Linux-node-${hex(c, 64)}`,
  (c) => `${stamp(c)} Cache not found for input keys: Linux-gradle-${hex(c, 40)}, Linux-gradle-`,
  (c) => `${stamp(c)} ##[group]Run actions/checkout@${hex(c, 40)}`,
  (c) => `${stamp(c)} ##[debug]GITHUB_SHA=${hex(c, 40)}`,
  (c) => `${stamp(c)}   token: ***`,
  (c) => `${stamp(c)}   ssh-strict: true`,
  (c) => `${stamp(c)} HEAD is now at ${hex(c, 7)} Rotate the signing key (#${number(c, 9999)})`,
  (c) => `commit ${hex(c, 40)}`,
  (c) => `index ${hex(c, 7)}..${hex(c, 7)} 100644`,
  (c) =>
    `[INFO] Downloading from central: https://packages.example.com/maven2/org/slf4j/slf4j-api/2.0.${number(c, 20)}/slf4j-api-2.0.jar.sha1`,
  (c) =>
    `[INFO] Tests run: ${number(c, 99)}, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1.${number(c, 99)} s -- in com.example.auth.TokenServiceTest`,
  (c) => `[DEBUG] com.example.security.KeyStoreLoader - loaded ${number(c, 9)} keys from keystore.jks`,
  (c) => `> Task :auth:compileKotlin UP-TO-DATE (build cache key ${hex(c, 32)})`,
  (c) => `Build cache key for task ':app:compileJava' is ${hex(c, 32)}`,
  (c) => `ok  \tk8s.io/kubernetes/pkg/credentialprovider/secrets\t0.${number(c, 999)}s`,
  (c) => `--- PASS: TestTokenAuthenticator/expired_token (0.0${number(c, 9)}s)`,
  (c) => ` ✓ src/auth/password-reset.test.ts (${number(c, 20)} tests) ${number(c, 999)}ms`,
  (c) => `PASS tests/test_tokens.py::test_refresh_token[${hex(c, 8)}]`,
  (c) => `E   AssertionError: expected token type 'bearer', got 'basic' at 0x${hex(c, 12)}`,
  (c) => `error TS1005: Unexpected token, expected "," (${number(c, 400)}:${number(c, 80)})`,
  (c) => `usage: max_tokens=${number(c, 8192)} prompt_tokens=${number(c, 8192)} total_tokens: ${number(c, 9999)}`,
  (c) =>
    `I1115 20:00:00.${draw(c, 6, '0123456789')}    1234 kubelet.go:2345] "SyncLoop (PLEG): event for pod" pod="arc-runners/${pod(c)}" event={"ID":"${uuid(c)}","Type":"ContainerStarted","Data":"${hex(c, 64)}"}`,
  (c) =>
    `I1115 20:00:00.${draw(c, 6, '0123456789')}    1234 reconciler_common.go:245] "operationExecutor.VerifyControllerAttachedVolume started for volume \\"kube-api-access-${draw(c, 5, NAME)}\\" (UniqueName: \\"kubernetes.io/projected/${uuid(c)}-kube-api-access\\") pod \\"${pod(c)}\\" (UID: \\"${uuid(c)}\\") "`,
  (c) =>
    `E1115 20:00:00.${draw(c, 6, '0123456789')}    1234 secret.go:194] Couldn't get secret arc-runners/github-app-key: secret "github-app-key" not found`,
  (c) => `time="${stamp(c)}" level=info msg="StopContainer for \\"${hex(c, 64)}\\" with timeout 30 (s)"`,
  (c) =>
    `Nov 15 20:00:00 node-1 kernel: Memory cgroup out of memory: Killed process ${number(c, 99999)} (node) total-vm:${number(c, 9999999)}kB, UID:1001 oom_score_adj:987`,
  (c) =>
    `Nov 15 20:00:00 node-1 kernel: oom-kill:constraint=CONSTRAINT_MEMCG,task_memcg=/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${uuid(c).replaceAll('-', '_')}.slice/cri-containerd-${hex(c, 64)}.scope,task=node,pid=${number(c, 9999)},uid=1001`,
  (c) => `Nov 15 20:00:00 node-1 kernel: Code: ${Array.from({ length: 40 }, () => hex(c, 2)).join(' ')}`,
  (c) => `Nov 15 20:00:00 node-1 kernel: RAX: ${hex(c, 16)} RBX: ${hex(c, 16)} RCX: ${hex(c, 16)}`,
  (c) =>
    `{"level":"info","ts":"${stamp(c)}","logger":"EphemeralRunner","msg":"Updating ephemeral runner status","ephemeralrunner":{"name":"${pod(c)}","namespace":"arc-runners"},"runnerId":${number(c, 9999)},"resourceVersion":"${number(c, 99999999)}"}`,
  (c) =>
    `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"${uuid(c)}","requestURI":"/api/v1/namespaces/arc-runners/secrets/listener-config","verb":"get","user":{"username":"system:serviceaccount:arc-systems:arc-controller","uid":"${uuid(c)}","extra":{"authentication.kubernetes.io/credential-id":["JTI=${uuid(c)}"],"authentication.kubernetes.io/node-name":["node-1"]}}}`,
  (c) =>
    `curl -sSfL -H "Accept: application/vnd.github+json" https://api.github.com/repos/acme/api/actions/runs/${draw(c, 11, '123456789')}/jobs`,
  (c) =>
    `Requested labels: self-hosted, linux; Job defined at: acme/api/.github/workflows/ci.yml@refs/heads/main; run ${uuid(c)}`,
  (c) => `Uploading artifact sha256:${hex(c, 64)} key=artifacts/${uuid(c)}/report.xml etag="${hex(c, 32)}"`,
  (c) => `aws s3 cp dist/ s3://bucket/key/${hex(c, 40)}/ --recursive --only-show-errors`,
  (c) => `apk add: fetching APKINDEX, key: alpine-devel@lists.alpinelinux.org-${hex(c, 8)}.rsa.pub`,
  (c) => `gpg: using RSA key ${hex(c, 40).toUpperCase()}`,
  (c) => `gpg: key ${hex(c, 16).toUpperCase()}: public key "Debian Archive Automatic Signing Key" imported`,
  (c) => `The key fingerprint is: SHA256:${base64(c, 43)} runner@host`,
  (c) =>
    `Get:${number(c, 99)} https://deb.example.com/debian trixie/main amd64 libssl3t64 amd64 3.5.${number(c, 9)}-1 [2,443 kB]`,
  (c) =>
    `Terraform: aws_secretsmanager_secret.db: Refreshing state... [id=arn:aws:secretsmanager:eu-central-1:${draw(c, 12, '0123456789')}:secret:db-${draw(c, 6, NAME)}]`,
  (c) => `Creating secret/registry-login-${draw(c, 5, NAME)} ... created`,
  () => `warning: passing a password on the command line is insecure, use --password-stdin`,
  (c) => `sonar.login is deprecated, use sonar.token; analysis id ${uuid(c)}`,
  (c) => `Listening for Jobs; session id ${uuid(c)}, runner version 2.335.${number(c, 9)}`,
]
