/* What a user's extension module for numpy looks like, as far as it is imported. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <numpy/arrayobject.h>

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "fastfeatures", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_fastfeatures(void)
{
    import_array();
    return PyModule_Create(&module);
}
