import {
  listChatRecords,
  listPlaybackRecords,
  listWatchRecords,
  type RecordKind,
} from '@watchline/contracts/internal-operations'
import { ServiceError } from '@watchline/kit/core/errors'
import type { InternalClient } from '@watchline/kit/http/internal-client'

export interface PersonRecords {
  /**
   * The records that other services have of a person. Throws `unavailable` if one does not answer.
   */
  list(personId: string): Promise<RecordKind[]>
}

interface RecordOwners {
  playback: InternalClient
  engagement: InternalClient
  chat: InternalClient
}

export function createPersonRecords({ playback, engagement, chat }: RecordOwners): PersonRecords {
  return {
    list: async personId => {
      const input = { params: { personId } }
      try {
        const answers = await Promise.all([
          playback.call(listPlaybackRecords, input),
          engagement.call(listWatchRecords, input),
          chat.call(listChatRecords, input),
        ])
        return [...new Set(answers.flatMap(({ records }) => records))]
      } catch (error) {
        throw new ServiceError('unavailable', { retryAfterS: 2, cause: error })
      }
    },
  }
}
