export interface Listed { id: string }
