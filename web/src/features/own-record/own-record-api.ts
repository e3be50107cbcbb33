import { endOtherOwnSessions, endOwnSession, getOwnAccount, getProfile } from '@watchline/contracts/auth'
import { countOwnMessages } from '@watchline/contracts/chat'
import { getOwnRecord } from '@watchline/contracts/engagement'
import { countOwnNotifications } from '@watchline/contracts/notification'
import { countOwnSessions } from '@watchline/contracts/playback'
import { getPrivacyNotice } from '@watchline/contracts/privacy'
import { fromOperation, gateway } from '../../api/gateway.ts'

export const ownRecordApi = gateway.injectEndpoints({
  endpoints: build => ({
    getProfile: build.query({ ...fromOperation(getProfile), providesTags: ['Session'] }),
    getOwnAccount: build.query({ ...fromOperation(getOwnAccount), providesTags: ['Session'] }),
    endOwnSession: build.mutation({ ...fromOperation(endOwnSession), invalidatesTags: ['Session'] }),
    endOtherOwnSessions: build.mutation({ ...fromOperation(endOtherOwnSessions), invalidatesTags: ['Session'] }),
    countOwnSessions: build.query({ ...fromOperation(countOwnSessions), providesTags: ['Today', 'Engagement'] }),
    getOwnRecord: build.query({ ...fromOperation(getOwnRecord), providesTags: ['Engagement', 'Comments'] }),
    countOwnMessages: build.query({ ...fromOperation(countOwnMessages), providesTags: ['Chat'] }),
    getPrivacyNotice: build.query(fromOperation(getPrivacyNotice)),
    countOwnNotifications: build.query({ ...fromOperation(countOwnNotifications), providesTags: ['Notifications'] }),
  }),
})

export const {
  useGetProfileQuery,
  useGetOwnAccountQuery,
  useEndOwnSessionMutation,
  useEndOtherOwnSessionsMutation,
  useCountOwnSessionsQuery,
  useGetOwnRecordQuery,
  useCountOwnMessagesQuery,
  useCountOwnNotificationsQuery,
  useGetPrivacyNoticeQuery,
} = ownRecordApi
