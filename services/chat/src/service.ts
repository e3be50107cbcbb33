import { createCallerIdentification } from '@watchline/identity/caller'
import { createPeople } from '@watchline/identity/people'
import { createPeopleGroups } from '@watchline/identity/people-groups'
import { buildService, createServiceHost, type Ports, type Service } from '@watchline/kit/process/service-host'
import { createReading } from './actions/mark-messages-read.ts'
import { createSending, type SendingLimits } from './actions/send-messages.ts'
import type { ChatConfig } from './config.ts'
import { consumers } from './consumers/index.ts'
import type { ChatContext } from './context.ts'
import { createTelling } from './jobs/publish-hints.ts'
import { routes } from './routes/index.ts'
import { createMessageStore } from './store/message-archive.ts'
import { createFlood } from './store/message-rate-limit.ts'
import { createRoomStore } from './store/rooms.ts'

/** The chat service, wired. `limits` bound the group commit of messages. */
export function createChatService(config: ChatConfig, ports: Ports, limits: SendingLimits = {}): Service {
  const host = createServiceHost('chat', config, ports)
  const { bus, clock, connection, live, log, metrics } = host
  const people = createPeople(host)
  const groups = createPeopleGroups(people, { connection, log })
  const rooms = createRoomStore(connection)
  const messages = createMessageStore(connection)
  const flood = createFlood({ live, clock })
  const telling = createTelling({ bus, live, clock, log })
  const sending = createSending({
    ...limits,
    rooms,
    messages,
    telling,
    flood,
    log,
    measure: metrics.commit('messages'),
  })
  const reading = createReading({ rooms, messages, telling, measure: metrics.commit('reads') })
  const ctx: ChatContext = { clock, live, flood, log, people, groups, rooms, messages, sending, reading, telling }
  return buildService(host, {
    ctx,
    routes,
    consumers,
    identify: createCallerIdentification(host, people),
    lifecycles: [people, groups, telling, reading, sending],
  })
}
