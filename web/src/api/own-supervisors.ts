import { listOwnSupervisors } from '@watchline/contracts/auth'
import type { User } from '@watchline/contracts/people'
import { readAllPages } from './all-pages.ts'
import { gateway } from './gateway.ts'

/** A manager's own supervisors, all of them: their dashboard and whatever is shared with them ask. */
const ownSupervisorsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listOwnSupervisors: build.query<User[], void>({
      queryFn: async (_, { signal }) => {
        const pages = await readAllPages(listOwnSupervisors, signal)
        return 'error' in pages ? pages : { data: pages.data.flat() }
      },
      providesTags: ['Team'],
    }),
  }),
})

export const { useListOwnSupervisorsQuery } = ownSupervisorsApi
