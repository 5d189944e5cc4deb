/* Rust's std asks bcryptprimitives.dll for random bytes; Wine 8 does not have it. This stands in for it in a Wine prefix. */
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return SystemFunction036(data, (ULONG)length); }
