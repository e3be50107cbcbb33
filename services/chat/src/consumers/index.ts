import type { Consumer } from '@watchline/kit/consumer'
import { peopleConsumers } from '@watchline/kit/people'
import type { ChatContext } from '../context.ts'

/** The table of contents of this service's message door: it keeps its projection of people, and nothing else. */
export const consumers: readonly Consumer<ChatContext>[] = peopleConsumers
