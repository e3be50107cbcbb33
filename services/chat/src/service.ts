import { createPeople, type People } from '@watchline/kit/people'
import { assemble, createShell, type Ports, type Service } from '@watchline/kit/service'
import type { ChatConfig } from './config.ts'
import { routes } from './routes/index.ts'

export interface ChatContext {
  people: People
}

/** The chat service, wired: so far the shell that lives, is watched and stops as every service does. */
export function createChatService(config: ChatConfig, ports: Ports): Service {
  const shell = createShell('chat', config, ports)
  const people = createPeople({ ...shell, authUrl: config.authUrl, internalSecret: config.internalSecret })
  return assemble(shell, { ctx: { people }, routes, people })
}
