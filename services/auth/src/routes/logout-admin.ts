import { logoutAdmin as operation } from '@watchline/contracts/auth'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { signOut } from './sign-out-reply.ts'

export const logoutAdmin = defineRoute(operation, (input, ctx: AuthContext) => signOut(ctx, input))
