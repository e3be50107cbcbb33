import {
  addFirstFactor,
  addSecondFactor,
  beginFirstFactor,
  beginPasskeyLogin,
  beginSecondFactor,
  completeAdminLogin,
  getSecondFactors,
  removeSecondFactor,
  replaceRecoveryCodes,
} from '@watchline/contracts/second-factors'
import { fromOperation, gateway } from '../../../api/gateway.ts'

const changesFactors = ['SecondFactors', 'Administrators'] as const

export const factorApi = gateway.injectEndpoints({
  endpoints: build => ({
    getSecondFactors: build.query({ ...fromOperation(getSecondFactors), providesTags: ['SecondFactors'] }),
    beginSecondFactor: build.mutation(fromOperation(beginSecondFactor)),
    addSecondFactor: build.mutation({ ...fromOperation(addSecondFactor), invalidatesTags: changesFactors }),
    removeSecondFactor: build.mutation({ ...fromOperation(removeSecondFactor), invalidatesTags: changesFactors }),
    replaceRecoveryCodes: build.mutation({
      ...fromOperation(replaceRecoveryCodes),
      invalidatesTags: ['SecondFactors'],
    }),
    beginPasskeyLogin: build.mutation(fromOperation(beginPasskeyLogin)),
    completeAdminLogin: build.mutation({
      ...fromOperation(completeAdminLogin),
      invalidatesTags: (_, error) => (error ? [] : ['Session']),
    }),
    beginFirstFactor: build.mutation(fromOperation(beginFirstFactor)),
    // Leaves the session: the page asks for it when the person has kept the recovery codes.
    addFirstFactor: build.mutation(fromOperation(addFirstFactor)),
  }),
})

export const {
  useGetSecondFactorsQuery,
  useBeginSecondFactorMutation,
  useAddSecondFactorMutation,
  useRemoveSecondFactorMutation,
  useReplaceRecoveryCodesMutation,
  useBeginPasskeyLoginMutation,
  useCompleteAdminLoginMutation,
  useBeginFirstFactorMutation,
  useAddFirstFactorMutation,
} = factorApi
