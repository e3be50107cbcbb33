import { getGroupRecord } from '@watchline/contracts/records'
import { fromOperation, gateway } from './gateway.ts'

const groupRecordApi = gateway.injectEndpoints({
  endpoints: build => ({
    // No tag: each read is noted for the members, and the record is as of its opening.
    getGroupRecord: build.query(fromOperation(getGroupRecord)),
  }),
})

export const { useGetGroupRecordQuery } = groupRecordApi
