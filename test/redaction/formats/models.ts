import type { Format } from './format.ts'

/** Models and what is built around them. */
export const MODELS: readonly Format[] = [
  {
    name: 'OpenAI key (old)',
    variable: 'OPENAI_API_KEY',
    build: (draw) => `sk-${draw.alnum(20)}T3BlbkFJ${draw.alnum(20)}`,
  },
  {
    name: 'OpenAI project key',
    variable: 'OPENAI_API_KEY',
    build: (draw) => `sk-proj-${draw.url(74)}T3BlbkFJ${draw.url(74)}`,
  },
  {
    name: 'OpenAI service account key',
    variable: 'OPENAI_API_KEY',
    build: (draw) => `sk-svcacct-${draw.url(74)}T3BlbkFJ${draw.url(74)}`,
  },
  { name: 'Anthropic key', variable: 'ANTHROPIC_API_KEY', build: (draw) => `sk-ant-api03-${draw.url(93)}AA` },
  {
    name: 'Anthropic OAuth token',
    variable: 'CLAUDE_CODE_OAUTH_TOKEN',
    build: (draw) => `sk-ant-oat01-${draw.url(93)}AA`,
  },
  { name: 'Hugging Face token', variable: 'HF_TOKEN', build: (draw) => `hf_${draw.alnum(34)}` },
  { name: 'Cohere key', variable: 'COHERE_API_KEY', build: (draw) => draw.alnum(40), isShapeless: true },
  { name: 'Mistral key', variable: 'MISTRAL_API_KEY', build: (draw) => draw.alnum(32), isShapeless: true },
  { name: 'Groq key', variable: 'GROQ_API_KEY', build: (draw) => `gsk_${draw.alnum(52)}` },
  { name: 'Replicate token', variable: 'REPLICATE_API_TOKEN', build: (draw) => `r8_${draw.alnum(37)}` },
  { name: 'Perplexity key', variable: 'PPLX_API_KEY', build: (draw) => `pplx-${draw.alnum(48)}` },
  { name: 'xAI key', variable: 'XAI_API_KEY', build: (draw) => `xai-${draw.alnum(80)}` },
  { name: 'OpenRouter key', variable: 'OPENROUTER_API_KEY', build: (draw) => `sk-or-v1-${draw.hex(64)}` },
  { name: 'DeepSeek key', variable: 'DEEPSEEK_API_KEY', build: (draw) => `sk-${draw.hex(32)}` },
  { name: 'ElevenLabs key', variable: 'ELEVENLABS_API_KEY', build: (draw) => `sk_${draw.hex(48)}` },
  { name: 'Fireworks key', variable: 'FIREWORKS_API_KEY', build: (draw) => `fw_${draw.alnum(24)}` },
  { name: 'LangSmith key', variable: 'LANGSMITH_API_KEY', build: (draw) => `lsv2_pt_${draw.hex(32)}_${draw.hex(10)}` },
  { name: 'Pinecone key', variable: 'PINECONE_API_KEY', build: (draw) => `pcsk_${draw.alnum(6)}_${draw.alnum(63)}` },
  { name: 'NVIDIA key', variable: 'NVIDIA_API_KEY', build: (draw) => `nvapi-${draw.url(64)}` },
  { name: 'Tavily key', variable: 'TAVILY_API_KEY', build: (draw) => `tvly-${draw.alnum(32)}` },
  { name: 'Databricks token', variable: 'DATABRICKS_TOKEN', build: (draw) => `dapi${draw.hex(32)}` },
  { name: 'Weights & Biases key', variable: 'WANDB_API_KEY', build: (draw) => draw.hex(40), isShapeless: true },
]
