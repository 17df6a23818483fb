from django.urls import path, re_path
from . import views

urlpatterns = [
    path("item/<int:pk>", views.item),
    path("category", views.category),
    re_path(r"^item/(?P<pk>\d+)/buyer$", views.buyer),
]
