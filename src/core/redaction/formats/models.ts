import type { CredentialFormat } from './credential-format.ts'

/** Models, and what is built around them. */
export const MODELS: readonly CredentialFormat[] = [
  {
    name: 'key that begins with sk-: OpenAI, Anthropic, OpenRouter, DeepSeek, Langfuse and others',
    shapes: [
      ...['proj', 'svcacct', 'admin', 'ant', 'or', 'lf', 'litellm'].map((type) => `sk-${type}-[A-Za-z0-9_-]{20,}`),
      'sk-[A-Za-z0-9]{32}[A-Za-z0-9_-]{0,}',
    ],
    isWord: true,
    source: 'https://platform.openai.com/docs/api-reference/authentication',
  },
  {
    name: 'Hugging Face token',
    shapes: ['hf_[A-Za-z0-9]{34}', 'api_org_[A-Za-z0-9]{34}'],
    source: 'https://huggingface.co/docs/hub/security-tokens',
  },
  { name: 'Groq key', shapes: ['gsk_[A-Za-z0-9]{40,}'], source: 'https://console.groq.com/docs/quickstart' },
  {
    name: 'Replicate token',
    shapes: ['r8_[A-Za-z0-9]{37,40}'],
    isWord: true,
    source: 'https://replicate.com/docs/topics/security/api-tokens',
  },
  {
    name: 'Perplexity key',
    shapes: ['pplx-[A-Za-z0-9]{40,}'],
    source: 'https://docs.perplexity.ai/guides/api-key-management',
  },
  { name: 'xAI key', shapes: ['xai-[A-Za-z0-9]{70,}'], source: 'https://docs.x.ai/docs/tutorial' },
  {
    name: 'ElevenLabs key',
    shapes: ['sk_[a-f0-9]{48}'],
    isWord: true,
    source: 'https://elevenlabs.io/docs/api-reference/authentication',
  },
  {
    name: 'Fireworks key',
    shapes: ['fw_[A-Za-z0-9]{20,}'],
    isWord: true,
    source: 'https://docs.fireworks.ai/api-reference/introduction',
  },
  {
    name: 'LangSmith key',
    shapes: ['lsv2_pt_[a-f0-9]{32}_[a-f0-9]{10}', 'lsv2_sk_[a-f0-9]{32}_[a-f0-9]{10}'],
    source: 'https://docs.langchain.com/langsmith/create-account-api-key',
  },
  {
    name: 'Pinecone key',
    shapes: ['pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,}'],
    source: 'https://docs.pinecone.io/guides/projects/manage-api-keys',
  },
  {
    name: 'NVIDIA key',
    shapes: ['nvapi-[A-Za-z0-9_-]{60,}'],
    source: 'https://docs.nvidia.com/nim/large-language-models/latest/getting-started.html',
  },
  {
    name: 'Tavily key',
    shapes: ['tvly-[A-Za-z0-9-]{28,}'],
    source: 'https://docs.tavily.com/documentation/api-reference/introduction',
  },
  {
    name: 'Databricks token',
    shapes: ['dapi[a-f0-9]{32}[0-9-]{0,2}'],
    isWord: true,
    source: 'https://docs.databricks.com/aws/en/dev-tools/auth/pat',
  },
]
