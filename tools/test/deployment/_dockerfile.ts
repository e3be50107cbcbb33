// Parses the Dockerfiles of this project. It throws on an instruction that they do not use yet.

export interface Instruction {
  keyword: string
  /** `--name=value` before the arguments. */
  flags: Record<string, string>
  /** The line after keyword and flags, continuations joined. */
  text: string
  line: number
}

export interface Stage {
  name: string
  /** An image, or the name of a stage before this one. */
  from: string
  instructions: Instruction[]
}

export interface Dockerfile {
  stages: Stage[]
}

const knownInstructions = new Set([
  'ARG',
  'CMD',
  'COPY',
  'ENV',
  'EXPOSE',
  'FROM',
  'HEALTHCHECK',
  'LABEL',
  'RUN',
  'USER',
  'WORKDIR',
])

export function parseDockerfile(text: string): Dockerfile {
  const stages: Stage[] = []
  for (const instruction of instructionsOf(text)) {
    if (!knownInstructions.has(instruction.keyword))
      throw new Error(`line ${instruction.line}: ${instruction.keyword} is not known here`)
    if (instruction.keyword === 'FROM') {
      const [from, asKeyword, name, ...extra] = instruction.text.split(/\s+/)
      if (!from || asKeyword?.toUpperCase() !== 'AS' || !name || extra.length > 0)
        throw new Error(`line ${instruction.line}: every stage needs a name: FROM … AS …`)
      stages.push({ name, from, instructions: [] })
      continue
    }
    const stage = stages.at(-1)
    if (!stage) throw new Error(`line ${instruction.line}: ${instruction.keyword} before the first FROM`)
    stage.instructions.push(instruction)
  }
  return { stages }
}

function* instructionsOf(text: string): Generator<Instruction> {
  const lines = text.split('\n')
  for (let index = 0; index < lines.length; index++) {
    const line = index + 1
    let whole = lines[index]!.trim()
    if (whole === '' || whole.startsWith('#')) continue
    while (whole.endsWith('\\')) {
      const next = lines[++index]
      if (next === undefined) throw new Error(`line ${line}: the last line ends with a continuation`)
      if (next.trim().startsWith('#')) continue
      whole = `${whole.slice(0, -1).trimEnd()} ${next.trim()}`
    }
    const [, keyword, args] = /^(\w+)\s+(.*)$/.exec(whole) ?? []
    if (!keyword || !args) throw new Error(`line ${line}: not an instruction`)
    const flags: Record<string, string> = {}
    let body = args
    for (;;) {
      const flag = /^--([\w-]+)=(\S+)\s+/.exec(body)
      if (!flag) break
      flags[flag[1]!] = flag[2]!
      body = body.slice(flag[0].length)
    }
    yield { keyword: keyword.toUpperCase(), flags, text: body, line }
  }
}

/** The stage of that name after the stages it builds on. */
export function lineage({ stages }: Dockerfile, target: string): Stage[] {
  const stage = stages.find(({ name }) => name === target)
  if (!stage) throw new Error(`there is no stage ${target}`)
  const below = stages.find(({ name }) => name === stage.from)
  return below ? [...lineage({ stages }, below.name), stage] : [stage]
}

/** The configuration that a container of a target starts with. */
export interface ImageConfig {
  env: Record<string, string>
  workdir: string
  user: string
  command: string[]
  healthcheck: string[] | undefined
}

export function imageConfig(file: Dockerfile, target: string): ImageConfig {
  const all = lineage(file, target).flatMap(({ instructions }) => instructions)
  const last = (keyword: string) => all.findLast(instruction => instruction.keyword === keyword)?.text
  const health = last('HEALTHCHECK')
  return {
    env: Object.assign({}, ...all.filter(({ keyword }) => keyword === 'ENV').map(({ text }) => pairs(text))),
    workdir: last('WORKDIR') ?? '/',
    user: last('USER') ?? 'root',
    command: parseCommand(last('CMD') ?? '[]'),
    healthcheck: health === undefined || health === 'NONE' ? undefined : parseCommand(health.replace(/^CMD\s+/, '')),
  }
}

/** Parses the JSON form, the only one in which the process itself receives signals. */
function parseCommand(text: string): string[] {
  const parsed: unknown = JSON.parse(text)
  if (!Array.isArray(parsed)) throw new Error(`${text} is not a JSON array`)
  return parsed
}

/** `NAME=value NAME="a value"`, as ENV and LABEL have it. */
export function pairs(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w.-]+)=("[^"]*"|\S*)/g)].map(([, name, value]) => [name, value!.replace(/^"(.*)"$/, '$1')]),
  )
}
