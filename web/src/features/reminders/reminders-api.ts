import { remindPeople } from '@watchline/contracts/assignments'
import { fromOperation, gateway } from '../../api/gateway.ts'

export const remindersApi = gateway.injectEndpoints({
  endpoints: build => ({
    remindPeople: build.mutation(fromOperation(remindPeople)),
  }),
})

export const { useRemindPeopleMutation } = remindersApi
