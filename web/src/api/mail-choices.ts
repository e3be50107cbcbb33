import { getMailChoices, saveMailChoices } from '@watchline/contracts/mail'
import { fromOperation, gateway } from './gateway.ts'

/** The mails that the person gets, and whether the organisation sends any. */
export const mailApi = gateway.injectEndpoints({
  endpoints: build => ({
    getMailChoices: build.query(fromOperation(getMailChoices)),
    saveMailChoices: build.mutation({
      ...fromOperation(saveMailChoices),
      // Shows the choice at once; a refused one is shown as it was.
      onQueryStarted: (input, { dispatch, queryFulfilled }) => {
        const patch = dispatch(
          mailApi.util.updateQueryData('getMailChoices', undefined, choices => {
            Object.assign(choices, input?.body)
          }),
        )
        queryFulfilled.catch(patch.undo)
      },
    }),
  }),
})

export const { useGetMailChoicesQuery, useSaveMailChoicesMutation } = mailApi
