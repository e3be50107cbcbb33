import { createCallerIdentification } from '@watchline/identity/caller'
import { createErasureJobs } from '@watchline/identity/erasure-jobs'
import { createPeople } from '@watchline/identity/people'
import { createTeamCache } from '@watchline/identity/teams'
import { buildService, createServiceHost, type Ports, type Service } from '@watchline/kit/process/service-host'
import { eraseMessages } from './actions/erase-messages.ts'
import { createReadMarker } from './actions/mark-messages-read.ts'
import { createMessageSender, type SendingLimits } from './actions/send-messages.ts'
import type { ChatConfig } from './config.ts'
import { consumers } from './consumers/index.ts'
import type { ChatContext } from './context.ts'
import { createMessageArchiver } from './jobs/archive-messages.ts'
import { createMessageExpiry } from './jobs/expire-messages.ts'
import { createHintPublisher } from './jobs/publish-hints.ts'
import { internalRoutes, routes } from './routes/index.ts'
import { createMessageArchive } from './store/message-archive.ts'
import { createMessageErasure } from './store/message-erasure.ts'
import { createMessageRateLimit } from './store/message-rate-limit.ts'
import { createRoomListStore } from './store/room-list.ts'
import { createRoomStore } from './store/rooms.ts'

/** `limits` bound the group commit of messages. */
export function createChatService(config: ChatConfig, ports: Ports, limits: SendingLimits = {}): Service {
  const host = createServiceHost('chat', config, ports)
  const { bus, clock, connection, live, log, metrics, outbox } = host
  const people = createPeople(host)
  const teams = createTeamCache(people, { connection, log })
  const rooms = createRoomStore(connection)
  const roomLists = createRoomListStore(connection)
  const archive = createMessageArchive(connection, config.retentionMessagesS)
  const rateLimit = createMessageRateLimit(host.rateLimiter)
  const hints = createHintPublisher({ bus, live, clock, log })
  const messageSender = createMessageSender({
    ...limits,
    rooms,
    archive,
    archiver: createMessageArchiver({ rooms, archive, log }),
    hints,
    rateLimit,
    measure: metrics.commit('messages'),
  })
  const readMarker = createReadMarker({ rooms, archive, hints, measure: metrics.commit('reads') })
  const messageErasure = createMessageErasure(connection)
  const erasureJobs = createErasureJobs(host, ({ personId }) =>
    eraseMessages({ roomLists, messageErasure, hints }, personId),
  )
  const expiry = createMessageExpiry({ rooms, clock, log }, config.retentionMessagesS)
  const ctx: ChatContext = {
    clock,
    outbox,
    live,
    rateLimiter: host.rateLimiter,
    people,
    teams,
    rooms,
    roomLists,
    archive,
    rateLimit,
    messageSender,
    readMarker,
    hints,
    messageErasure,
    erasureJobs,
  }
  return buildService(host, {
    ctx,
    routes,
    consumers,
    identify: createCallerIdentification(host, people),
    lifecycles: [people, teams, hints, readMarker, messageSender, erasureJobs, expiry],
    internalRoutes,
  })
}
